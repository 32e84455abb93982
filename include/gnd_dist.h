/*
 * gnd_dist: arrays that are split over many ranks, over NCCL and MPI. Link libgnd_dist and libgnd.
 *
 *     gnd_mesh *mesh = gnd_mesh_init();
 *     GND_SCOPE {
 *         gnd_dist *x = gnd_dist_load(mesh, "data.npy", GND_SPLIT(0));
 *         gnd_dist_print(gnd_dist_mean(x, GND_AXES(0), GND_COPIES));
 *     }
 *     gnd_mesh_agree(mesh), gnd_check();
 *     gnd_mesh_release(mesh);
 *
 * All ranks run the same program. Data moves only when asked to: operands whose layouts differ are refused with a
 * sentence, and gnd_dist_redistribute moves them. Only cuts are adjusted by themselves.
 */
#ifndef GND_DIST_H
#define GND_DIST_H

#include <gnd.h>
#include <gnd/dist/transport.h>
#include <gnd/dist/mesh.h>
#include <gnd/dist/layout.h>
#include <gnd/dist/array.h>
#include <gnd/dist/arg.h>
#include <gnd/dist/math.h>
#include <gnd/dist/elementwise.h>
#include <gnd/dist/convolve.h>
#include <gnd/dist/fft.h>
#include <gnd/dist/halo.h>
#include <gnd/dist/histogram.h>
#include <gnd/dist/index.h>
#include <gnd/dist/io.h>
#include <gnd/dist/linalg.h>
#include <gnd/dist/quantile.h>
#include <gnd/dist/random.h>
#include <gnd/dist/scan.h>
#include <gnd/dist/sort.h>

#endif
