/* The inner loop of each_operator.h: one operator, every type. */
/* A block: name the type for NAME(), choose it for operator.clh, include, and forget both again. */
#define INT
#define TYPE int
#define TYPE_OPTION " -D INT"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef INT

#define UINT
#define TYPE uint
#define TYPE_OPTION " -D UINT"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef UINT

#define FLOAT
#define TYPE float
#define TYPE_OPTION " -D FLOAT"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef FLOAT
