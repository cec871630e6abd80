/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that a session ran on, and the things about it that spoil measurements. */
#include "core/record/environment.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/util/file.h"
#include "core/util/json.h"
#include "core/util/str.h"
#include "core/util/units.h"
#include "core/util/xalloc.h"

#define ENVIRONMENT_CPU "/sys/devices/system/cpu"
#define ENVIRONMENT_GOVERNOR ENVIRONMENT_CPU "/cpu0/cpufreq/scaling_governor"
#define ENVIRONMENT_CLOCK "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* The first line of a file; null when it cannot be read. */
static json_t *environment_line(const char *path)
{
	char text[4096];

	return file_read_line(path, text, sizeof(text)) ? json_null() : js_str(text);
}

/*
 * The text behind the colon of the first line "key : text"; caller frees; NULL when there is none.
 */
static char *environment_field(const char *path, const char *key)
{
	_cleanup_free_ char *data = NULL;
	char *rest, *line;

	if (file_read(path, 16u << 20, &data, NULL, NULL))
		return NULL;
	rest = data;
	while ((line = strsep(&rest, "\n"))) {
		char *colon = strchr(line, ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (str_eq(str_trim(line), key))
			return xstrdup(str_trim(colon + 1));
	}
	return NULL;
}

static json_t *environment_kernel(void)
{
	json_t *o = js_object();
	struct utsname u;

	js_set(o, "release", environment_line("/proc/sys/kernel/osrelease"));
	js_set(o, "version", environment_line("/proc/sys/kernel/version"));
	js_set(o, "arch", uname(&u) ? json_null() : js_str(u.machine));
	js_set(o, "cmdline", environment_line("/proc/cmdline"));
	js_set(o, "tainted", environment_line("/proc/sys/kernel/tainted"));
	js_set(o, "clocksource", environment_line(ENVIRONMENT_CLOCK));
	return o;
}

static int environment_mitigation(const char *name, void *arg)
{
	_cleanup_free_ char *path = xasprintf(ENVIRONMENT_CPU "/vulnerabilities/%s", name);

	js_set(arg, name, environment_line(path));
	return 0;
}

static json_t *environment_cpu(void)
{
	/* x86, then what others call it */
	static const char *const model_keys[] = { "model name", "Model", "cpu model",
						  "cpu",	"uarch", "CPU part" };
	json_t *o = js_object(), *mitigations = js_object();
	_cleanup_free_ char *model = NULL;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	for (size_t i = 0; !model && i < ARRAY_SIZE(model_keys); i++)
		model = environment_field("/proc/cpuinfo", model_keys[i]);
	js_set(o, "model", js_str(model));
	js_set(o, "online", online > 0 ? js_u64((uint64_t)online) : json_null());
	js_set(o, "governor", environment_line(ENVIRONMENT_GOVERNOR));
	if (dir_each(ENVIRONMENT_CPU "/vulnerabilities", environment_mitigation, mitigations) < 0)
		json_object_clear(mitigations);
	js_set(o, "mitigations", mitigations);
	return o;
}

static json_t *environment_memory(void)
{
	_cleanup_free_ char *text = environment_field("/proc/meminfo", "MemTotal");
	uint64_t kib;

	if (!text || !str_ends(text, " kB"))
		return json_null();
	text[strlen(text) - 3] = '\0';
	return units_parse_u64(str_trim(text), &kib, NULL) ? json_null() : js_u64(kib * 1024);
}

static json_t *environment_load(void)
{
	json_t *load = js_array();
	double v[3];
	int n = getloadavg(v, 3);

	for (int i = 0; i < n; i++)
		js_push(load, js_real(v[i]));
	return load;
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void _printf_(2, 3) environment_warn(json_t *warnings, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	js_push(warnings, js_str(text));
}

static void environment_warn_governor(const json_t *env, json_t *warnings)
{
	const char *governor = js_get_str(json_object_get(env, "cpu"), "governor", "");

	if (*governor && !str_eq(governor, "performance"))
		environment_warn(warnings, "cpu governor is %s", governor);
}

/* From half of the processors on, the trials share them with something else. */
static void environment_warn_load(const json_t *env, json_t *warnings)
{
	double load = json_real_value(json_array_get(json_object_get(env, "load"), 0));
	uint64_t online = js_get_u64(json_object_get(env, "cpu"), "online", 1);

	if (load >= (double)online / 2)
		environment_warn(warnings, "load average %.1f at start", load);
}

/* Latencies are taken at every I/O: with these a look at the clock is itself microseconds long. */
static void environment_warn_clock(const json_t *env, json_t *warnings)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "refined-jiffies", "jiffies" };
	const char *clock = js_get_str(json_object_get(env, "kernel"), "clocksource", "");

	for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
		if (str_eq(clock, slow[i]))
			environment_warn(warnings, "clock source %s is slow: latencies include it",
					 clock);
	}
}

static void environment_warn_debug(const json_t *env _unused_, json_t *warnings)
{
	static const struct {
		const char *path, *what;
	} marks[] = {
		{ "/proc/lockdep", "lock debugging (lockdep)" },
		{ "/sys/kernel/debug/kmemleak", "kmemleak" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (file_exists(marks[i].path))
			environment_warn(warnings, "kernel is built with %s", marks[i].what);
	}
}

static void (*const environment_warners[])(const json_t *env, json_t *warnings) = {
	environment_warn_governor,
	environment_warn_load,
	environment_warn_clock,
	environment_warn_debug,
};

json_t *environment_collect(const char *device, const char *sysfs)
{
	json_t *env = js_object(), *warnings = js_array();

	js_set(env, "kernel", environment_kernel());
	js_set(env, "cpu", environment_cpu());
	js_set(env, "memory_bytes", environment_memory());
	js_set(env, "boot_id", environment_line("/proc/sys/kernel/random/boot_id"));
	js_set(env, "load", environment_load());
	js_set(env, "device", device || sysfs ? environment_device(device, sysfs) : json_null());
	for (size_t i = 0; i < ARRAY_SIZE(environment_warners); i++)
		environment_warners[i](env, warnings);
	return js_set(env, "warnings", warnings);
}
