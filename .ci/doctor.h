/* The doctor of the set-up: which devices are here, can the steps use them, and what is missing? */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <CL/opencl.h>

/* Reads the command line of step 00 and prints all platforms and devices. Returns the device that
 * the reader wants, or NULL after --list and --help. Ends the program with exit status 2 if the
 * command line is wrong, or if the wanted device is not here or not usable. */
cl_device_id find_device(int argc, char **argv);

#endif
