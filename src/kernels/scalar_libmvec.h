/*
 * scalar_libmvec.h: tells g++ which of libm's functions have a vector form in libmvec.
 */
#ifndef GNDI_SCALAR_LIBMVEC_H
#define GNDI_SCALAR_LIBMVEC_H
#endif
