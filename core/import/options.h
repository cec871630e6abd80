/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Factors whose levels are lists of options ("-l version=2,size=128m", "rw,noatime,logbufs=8") become one factor an
 * option, so that the effect of each can be told from the others'. Options that always come together stay one; what
 * all rows have alike is no factor.
 */
#pragma once

#include "core/import/model.h"

void import_split_options(struct import *im);
