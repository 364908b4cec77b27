/* For people, on standard output, 80 columns wide. */
#pragma once

#include "measure.h"
#include "session.h"

/* "1.23 ms": three digits and the unit that fits; "-" for NAN. */
const char *time_text(double seconds, char text[16]);

void report_head(const struct session *session, uint64_t evict_bytes);
void report_row(const struct run *run, const struct row *row, const struct options *options);

/* Of a row that stands alone: what was predicted, and what was measured. */
void report_stages(const struct run *run, const struct row *row, bool uniform);

/* For scripts: --facts, what the device is and can, a line key=value each. */
void report_facts(const struct device *device, const struct back_end *back_end);
