/* The text of a kernel, with the words that it includes:
 *
 *   two_stage.cl      #include "operator.clh"   ->   #line 1 "operator.clh"
 *                                                    its text
 *                                                    #line 10 "two_stage.cl"
 *
 * So the OpenCL runtime needs no path to find them. */
#ifndef SOURCE_H
#define SOURCE_H

/* `file` stands in kernels/ beside the program, or in $REDUCE_KERNELS, or is any path with a '/';
 * what it includes stands beside it, or in the first two. Fails with the name of what is not there
 * and who includes it. The text is the caller's to free. */
char *source_text(const char *file);

#endif
