/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Everything that both sides of the contract share, except the decision itself (verdict.h). */
#ifndef RINGFENCE_ABI_H
#define RINGFENCE_ABI_H

#include "accesses.h"
#include "events.h"
#include "limits.h"
#include "reasons.h"
#include "rules.h"
#include "types.h"

#endif
