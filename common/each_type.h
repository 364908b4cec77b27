/* The inner loop of each_operator.h: one operator, every type that it has. */
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

#if !defined HASH // which is of whole words
#define FLOAT
#define TYPE float
#define TYPE_OPTION " -D FLOAT"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef FLOAT
#endif

#if defined SUM || defined MIN || defined MAX // an index needs the other half of a 64-bit key
#define LONG
#define TYPE long
#define TYPE_OPTION " -D LONG"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef LONG

#define ULONG
#define TYPE ulong
#define TYPE_OPTION " -D ULONG"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef ULONG

#define DOUBLE
#define TYPE double
#define TYPE_OPTION " -D DOUBLE"
#include "../kernels/operator.clh"
#include INSTANTIATE
#include "forget_operator.h"
#undef TYPE
#undef TYPE_OPTION
#undef DOUBLE
#endif
