/* What a wrong reduction does with each of its elements, found by trying. */
#pragma once

#include "evidence.h"
#include "session.h"

/* False: nothing to be found out, as the variant cannot be planned as a sum of unsigned words. */
bool probe(struct session *session, const struct trial *trial, struct evidence *found);

/* Does each of n elements come out, alone among zeros, by the operation itself? Then it is not the
 * indices that are wrong. False where that says nothing. */
bool probe_each_alone(struct session *session, const struct trial *trial, uint64_t n);

/* What the operator itself makes of identities and nothing else. */
any_value probe_identity(struct session *session, const struct trial *trial);
