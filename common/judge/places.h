/* Families of causes that show in the places of the lost and repeated elements. */
#pragma once

#include "signs.h"

/* ---- families of causes, in places.c: which elements count, and how often */

/* The path of a work-item: where it begins, how far it moves on, what it does with each element. */
struct diagnosis blame_path(const struct signs *signs);

/* Only some parts of each vector, sub-group or group count. */
struct diagnosis blame_parts(const struct signs *signs);

/* Other patterns of lost and repeated elements. */
struct diagnosis blame_pattern(const struct signs *signs);

/* The lost elements lie at one end. */
struct diagnosis blame_end(const struct signs *signs);
