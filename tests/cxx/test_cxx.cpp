/*
 * test_cxx.cpp: a tour of gnd.hpp: what it has of its own, and a call or more of each header's functions, as a program
 * in C++17 writes them. The functions' values are the oracle's business; here are those that show that arguments
 * arrive and results come back.
 */
#include <gnd.hpp>
#include <unistd.h>

#include <cmath>
#include <sstream>

#include "tap.h"

using gnd::_, gnd::array, gnd::slice;

namespace {

template <class T = double> T value(const array &x) {
    return x.item<T>();
}
bool near(const array &x, const array &y) {
    return gnd::allclose(x, y, 1e-6, 1e-8);
}
bool are(const array &x, const std::vector<double> &values) {
    return x.to_vector<double>() == values;
}

/* The call must throw this status, with a sentence that contains the text. */
template <class F> bool fails(F &&call, gnd_status status, const char *text) {
    try {
        call();
    } catch (const gnd::error &e) {
        return e.status() == status && strstr(e.what(), text) && !gnd_error();
    }
    return false;
}

array counted(int64_t n) {
    return gnd::arange(0, n, 1, gnd::float64);
}

} // namespace

/* ---- what is C++'s ---------------------------------------------------------------------------------------- */

TEST(arrays_are_made_of_lists_and_vectors) {
    const array x = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
    CHECK(x.shape() == gnd::shape({2, 3}) && x.dtype() == gnd::float64 && x.ndim() == 2 && x.size() == 6);
    CHECK(array{1, 2}.dtype() == gnd::int32 && array{true, false}.dtype() == gnd::bool_);
    CHECK(array{int64_t{1}}.dtype() == gnd::int64 && array{1.0f}.dtype() == gnd::float32);
    CHECK(array{std::complex<float>(1, 2)}.dtype() == gnd::complex64 && array(3).ndim() == 0);
    CHECK(array(std::vector<unsigned char>{1, 2, 3}).dtype() == gnd::uint8);
    const array m(std::vector<int>{1, 2, 3, 4, 5, 6}, {3, 2});
    CHECK(m.shape() == gnd::shape({3, 2}) && m(2, 1).item<int>() == 6);
    CHECK(array(std::vector<bool>{true, false, true}).to_vector<bool>() == std::vector<bool>({true, false, true}));
    CHECK(x.to_vector<float>() == std::vector<float>({1, 2, 3, 4, 5, 6}));
    const int64_t raw[] = {7, 8};
    CHECK(value<int64_t>(gnd::sum(array(raw, {2}))) == 15);
    CHECK(fails([] { array({{1, 2}, {3}}); }, GND_ERROR_SHAPE, "not of one length"));
    CHECK(fails([] { array(std::vector<int>{1}, {2, 2}); }, GND_ERROR_SHAPE, "1 elements for a shape of 4"));
    CHECK(array(std::vector<double>{}).size() == 0);
}

TEST(copies_share_and_moves_leave_nothing) {
    array x = {1, 2, 3}, y = x;
    y(0) = 10;
    CHECK(value<int>(x(0)) == 10 && gnd::shares_buffer(x, y) && x.c() == y.c());
    array z = std::move(y);
    CHECK(!y.exists() && z.c() == x.c());
    y = z.copy();
    y(0) = 5;
    CHECK(value<int>(x(0)) == 10 && !gnd::shares_buffer(x, y));
    const array &same = x;
    x = same;
    CHECK(x.exists());
    const array shared = array::share(x.c()), owned = array::own(gnd_copy(x.c()));
    CHECK(shared.c() == x.c() && owned.c() != x.c());
    std::vector<array> several{x, y};
    several.erase(several.begin());
    CHECK(several[0].c() == y.c());
}

TEST(arrays_of_scopes_outlive_them) {
    array kept;
    GND_SCOPE {
        kept = array{1, 2} + 1;
        gnd_add(kept.c(), 1);
    }
    CHECK(are(kept, {2, 3}));
}

TEST(indices_are_numpys) {
    array x = gnd::reshape(counted(24), {2, 3, 4});
    CHECK(x(1).shape() == gnd::shape({3, 4}) && value(x(1, -1, -1)) == 23 && value(x(0)[1][2]) == 6);
    CHECK(x(_, slice(1, -1)).shape() == gnd::shape({2, 1, 4}) && gnd::is_view(x(_, 0)));
    CHECK(x(gnd::ellipsis, gnd::newaxis, slice(_, _, -2)).shape() == gnd::shape({2, 3, 1, 2}));
    CHECK(are(x(0, 0, slice(2)), {0, 1}) && are(x("1, 0, ::2"), {12, 14}) && x[1].shape() == gnd::shape({3, 4}));
    x(_, _, slice(1, _)) = 0;
    CHECK(value(gnd::sum(x)) == 0 + 4 + 8 + 12 + 16 + 20);
    x(0, 1) = array{1.0, 2.0, 3.0, 4.0};
    CHECK(are(x(0, 1), {1, 2, 3, 4}));
    x(0, 1) += 1;
    CHECK(are(x(0, 1), {2, 3, 4, 5}));
    CHECK(fails([&] { x(5); }, GND_ERROR_INDEX, "5"));
    CHECK(fails([&] { x(0, 0, 0, 0); }, GND_ERROR_INDEX, ""));
}

TEST(arrays_and_masks_choose) {
    array x = counted(6);
    const array mask = x > 3, rows = {0, -1};
    CHECK(are(x(rows), {0, 5}) && are(x(mask), {4, 5}));
    CHECK(x(mask).to_vector<double>() == std::vector<double>({4, 5}));
    x(mask) = -1;
    CHECK(are(x, {0, 1, 2, 3, -1, -1}));
    x(rows) += 10;
    CHECK(are(x, {10, 1, 2, 3, -1, 9}));
    array m = gnd::reshape(counted(6), {2, 3});
    m(_, array{0, 2}) = 0;
    CHECK(are(m, {0, 1, 0, 0, 4, 0}) && value(gnd::sum(m(m > 1) * 2)) == 8);
    auto later = x(x > 2); // the mask lives on in it
    later = 0;
    CHECK(are(x, {0, 1, 2, 0, -1, 0}));
}

TEST(operators_take_arrays_and_numbers) {
    const array x = {1, 2, 3}, y = {2, 2, 2};
    CHECK(are(x + y, {3, 4, 5}) && are(2 - x, {1, 0, -1}) && are(x * 2 / y, {1, 2, 3}) && are(x % 2, {1, 0, 1}));
    CHECK(are(-x, {-1, -2, -3}) && are(+x, {1, 2, 3}) && are(~x, {-2, -3, -4}));
    CHECK(are(x << 1, {2, 4, 6}) && are(x >> 1, {0, 1, 1}) && are((x & 1) | 4, {5, 4, 5}) && are(x ^ y, {3, 0, 1}));
    CHECK((x == y).to_vector<bool>() == std::vector<bool>({false, true, false}));
    CHECK(gnd::all(x != 7) && gnd::all(x < 4) && !gnd::all(x <= 2) && gnd::any(x >= 3) && gnd::all(!(x > 3)));
    CHECK((x + 0.5f).dtype() == gnd::float64 && (array{1.0f} + 0.5).dtype() == gnd::float32); // numbers are weak
    CHECK(value<std::complex<double>>((x * std::complex<double>(0, 1))(0)) == std::complex<double>(0, 1));
    array z = {1.0, 2.0};
    z += 1, z -= array{0.5, 0.5}, z *= 2, z /= 4, z %= 1;
    CHECK(are(z, {0.75, 0.25}));
    array w = {6, 5};
    w &= 3, w |= 4, w ^= 1, w <<= 2, w >>= 1;
    CHECK(are(w, {14, 8}));
    CHECK(static_cast<bool>(array(1)) && !array(0.0));
    CHECK(fails([&] { (void)static_cast<bool>(x); }, GND_ERROR_SHAPE, ""));
}

TEST(errors_are_thrown_as_sentences) {
    const array x = {1, 2, 3}, none;
    CHECK(fails([&] { x + array({1, 2}); }, GND_ERROR_SHAPE, "gnd_add: shapes (3,) and (2,) do not broadcast"));
    CHECK(fails([&] { x + none; }, GND_ERROR_INVALID, "NULL"));
    CHECK(fails([&] { gnd::svd(gnd::ones({2, 2}, gnd::int32)(0)); }, GND_ERROR_SHAPE, "gnd_svd"));
    CHECK(fails([&] { gnd::load("/no/such/file.npy"); }, GND_ERROR_IO, "/no/such/file.npy"));
    CHECK(fails([&] { array{1.5}.item<int>(); }, GND_ERROR_DTYPE, "float64 does not become int32"));
    CHECK(fails([&] { none.shape(); }, GND_ERROR_INVALID, "gnd_shape_of"));
    try {
        gnd::reshape(x, {2, 2});
    } catch (const std::runtime_error &e) {
        const auto &error = dynamic_cast<const gnd::error &>(e);
        CHECK(std::string(error.function()) == "gnd_reshape");
    }
}

TEST(fused_blocks_write_what_they_return) {
    const array x = gnd::linspace(0, 1, 100000, true, gnd::float32);
    const array plain = gnd::sqrt(x * x + 1) * 0.5f;
    array y = gnd::fuse([&] { return sqrt(x * x + 1) * 0.5f; });
    CHECK(near(y, plain));
    std::string told(4096, '\0');
    told.resize(std::min(told.size(), gnd::fuse_explain_text(told.data(), told.size())));
    CHECK(told.find("launch 1: map over (100000,)") != std::string::npos);
    CHECK(told.find("launch 2") == std::string::npos);
    const auto [low, high] = gnd::fuse([&] { return std::make_pair(gnd::min(x - 1), gnd::max(x - 1)); });
    CHECK(value<float>(low) == -1 && value<float>(high) == 0);
    gnd::fuse([&] { y = y + 1; });
    CHECK(near(y, plain + 1));
    CHECK(fails([&] { gnd::fuse([&] { return x + gnd::ones(3); }); }, GND_ERROR_SHAPE, "gnd_add"));
}

TEST(options_have_defaults) {
    gnd::iir_options o;
    o.output = GND_SOS;
    o.fs = 48e3;
    const gnd::filter_design f = gnd::butter(4, 1000, o);
    CHECK(f.sos.shape() == gnd::shape({2, 6}) && !f.b.exists());
    o = {};
    o.band = GND_BANDPASS;
    CHECK(gnd::butter(2, {0.2, 0.4}, o).b.size() == 5 && gnd::butter(2, 0.2).b.size() == 3);
    array index, counts;
    gnd::unique_options u;
    u.index = &index;
    u.counts = &counts;
    CHECK(are(gnd::unique(array{3, 1, 3}, {}, u), {1, 3}) && are(index, {1, 0}) && are(counts, {1, 2}));
    CHECK(are(gnd::sum(gnd::ones({2, 3}), gnd::axes(0).keepdims().dtype(gnd::int64)), {2, 2, 2}));
    const array out = gnd::zeros({3});
    gnd::sum(gnd::ones({2, 3}), gnd::axes({0}).out(out).where(array{{true, false, true}, {true, false, false}}));
    CHECK(are(out, {2, 0, 1}));
    CHECK(value(gnd::sum(array{1.0, 2.0}, gnd::axes().initial(array(10.0)))) == 13);
    gnd::print_options p = gnd::get_printoptions();
    p.precision = 2;
    gnd::set_printoptions(p);
    CHECK(gnd::str(array{1.23456}) == "[1.23]");
    gnd::set_printoptions();
    std::ostringstream text;
    text << array{1.23456};
    CHECK(text.str() == "[1.23456]");
}

/* ---- a call of each header -------------------------------------------------------------------------------- */

TEST(describing_and_making) {
    const array x = gnd::zeros({2, 3}, gnd::float32);
    CHECK(gnd::nbytes(x) == 24 && gnd::dim(x, -1) == 3 && gnd::stride(x, 0) == 12 && gnd::is_c_contiguous(x));
    CHECK(x.device().kind == gnd::current_device().kind && gnd::dtype_name(x.dtype()) == std::string("float32"));
    CHECK(gnd::promote_types(gnd::int32, gnd::float32) == gnd::float64 && gnd::result_type_n({x, 2.5}) == gnd::float32);
    CHECK(gnd::finfo(gnd::float64).bits == 64 && gnd::iinfo(gnd::int8).max == 127);
    CHECK(gnd::device_name(gnd_cpu()) == std::string("cpu") && gnd::version() == std::string(gnd_version()));
    CHECK(are(gnd::arange(0, 3), {0, 1, 2}) && gnd::linspace(0, 1).size() == 50);
    CHECK(are(gnd::full({2}, 7), {7, 7}) && are(gnd::eye(2, -1, 0, gnd::int32), {1, 0, 0, 1}));
    CHECK(gnd::full_like(x, 2).dtype() == gnd::float32 && gnd::empty({0, 4}).size() == 0);
    CHECK(x.astype(gnd::int8).dtype() == gnd::int8 && gnd::asarray(x).c() != nullptr);
    CHECK(gnd::build_info()->version == std::string(gnd::version()) && gnd::library_count() > 0);
    CHECK(gnd::broadcast_shapes({{3, 1}, {4}}) == gnd::shape({3, 4}));
}

TEST(moving) {
    double numbers[] = {1, 2, 3, 4};
    const array x = gnd::from_host_strided(numbers, {2}, {16}, gnd::float64);
    CHECK(are(x, {1, 3}));
    double back[2];
    gnd::to_host(x, back, sizeof back);
    CHECK(back[1] == 3);
    const array wrapped = gnd::wrap(numbers, {2, 2}, {}, gnd::float64, gnd_cpu(), nullptr, nullptr);
    wrapped(0, 0) = 9;
    gnd::sync();
    CHECK(numbers[0] == 9 && are(gnd::to_device(x, gnd_cpu()), {1, 3}) && gnd::at_double(x, {1}) == 3);
    const array c = gnd::from_dlpack(gnd::to_dlpack(x, gnd::dlpack_stream(x.device())));
    CHECK(gnd::array_equal(x, c, false));
}

TEST(views_and_rearranging) {
    const array x = gnd::reshape(counted(6), {2, 3});
    CHECK(x.T().shape() == gnd::shape({3, 2}) && are(gnd::ravel(x.T()), {0, 3, 1, 4, 2, 5}));
    CHECK(gnd::moveaxis(x, 0, -1).shape() == gnd::shape({3, 2}) && gnd::expand_dims(x, 0).ndim() == 3);
    CHECK(gnd::broadcast_arrays({x, array{1.0, 2.0, 3.0}}).at(1).shape() == gnd::shape({2, 3}));
    CHECK(gnd::concatenate({x, x}).dim(0) == 4 && gnd::concat({x, x}, 1).dim(1) == 6);
    CHECK(gnd::stack({x, x}).ndim() == 3 && gnd::block(1, 2, {x, x}).dim(1) == 6);
    const std::vector<array> thirds = gnd::split(x, GND_SECTIONS(3), 1);
    CHECK(thirds.size() == 3 && are(thirds[1], {1, 4}));
    CHECK(gnd::array_split(counted(200), GND_SECTIONS(150)).size() == 150 && gnd::unstack(counted(70)).size() == 70);
    CHECK(gnd::tile(array{1, 2}, 2).size() == 4 && are(gnd::roll(array{1, 2, 3}, 1), {3, 1, 2}));
    CHECK(are(gnd::pad(array{1, 2}, GND_PAD_WIDTH(1)), {0, 1, 2, 0}) &&
          are(gnd::delete_(array{1, 2, 3}, 1, 0), {1, 3}));
    CHECK(are(gnd::insert(array{1, 3}, 1, 2, 0), {1, 2, 3}) && are(gnd::tril(gnd::ones({2, 2})), {1, 0, 1, 1}));
    CHECK(gnd::meshgrid({array{1, 2}, array{1, 2, 3}}).size() == 2 && gnd::sliding_window_view(x, {2, 2}).ndim() == 4);
    CHECK(are(gnd::packbits(array{true, false}.astype(gnd::uint8), 0), {128}));
}

TEST(elementwise_and_ufuncs) {
    const array x = {1.0, 4.0, 9.0};
    CHECK(are(gnd::sqrt(x), {1, 2, 3}) && are(gnd::where(x > 2, x, 0), {0, 4, 9}) &&
          are(sqrt(gnd::abs(-x)), {1, 2, 3}));
    CHECK(are(gnd::clip(x, gnd::none, 5), {1, 4, 5}) && are(gnd::power(2, array{1, 2}), {2, 4}));
    const auto [quotient, rest] = gnd::divmod(array{7, 8}, 4);
    CHECK(are(quotient, {1, 2}) && are(rest, {3, 0}));
    const array out = gnd::zeros({3});
    gnd::add_into(out, x, 1);
    CHECK(are(out, {2, 5, 10}) && are(gnd::apply("multiply", {x, 2}), {2, 8, 18}));
    CHECK(are(gnd::accumulate("add", x), {1, 5, 14}) && gnd::outer("add", x, x).ndim() == 2);
    gnd::at("add", out, {array{0, 0}}, 1);
    CHECK(are(out, {4, 5, 10}) && gnd::allclose(x, x + 1e-9) && gnd::array_equal(x, x));
    gnd::copyto(out, 1);
    gnd::fill(out(slice(1)), 5);
    CHECK(are(out, {5, 1, 1}));
}

TEST(reducing_and_scanning) {
    const array x = {{1.0, 2.0}, {3.0, 5.0}};
    CHECK(value(gnd::sum(x)) == 11 && are(gnd::mean(x, 0), {2, 3.5}) && are(gnd::max(x, -1), {2, 5}));
    CHECK(value<int64_t>(gnd::argmax(x)) == 3 && near(gnd::var(x), array(2.1875)) && value(gnd::ptp(x)) == 4);
    CHECK(are(gnd::cumsum(x, 1), {1, 3, 3, 8}) && value(gnd::median(x)) == 2.5);
    CHECK(value(gnd::quantile(x, 0.5)) == 2.5 && value(gnd::average(x, {}, array{{1, 0}, {0, 1}})) == 3);
    CHECK(gnd::cov(x).shape() == gnd::shape({2, 2}) && are(gnd::diff(x), {1, 2}) && value(gnd::vdot(x, x)) == 39);
    CHECK(gnd::gradient_axes(x, {}, {}, 1).size() == 2 && are(gnd::trapezoid(x), {1.5, 4}));
}

TEST(indexing_sorting_and_counting) {
    const array x = {3, 1, 2};
    CHECK(are(gnd::sort(x), {1, 2, 3}) && are(gnd::argsort(x), {1, 2, 0}) && are(gnd::take(x, array{0, 2}), {3, 2}));
    const auto [values, indices] = gnd::topk(x, 2);
    CHECK(values.size() == 2 && indices.size() == 2 && are(gnd::partition(x, 1)(1), {2}));
    CHECK(value<int64_t>(gnd::searchsorted(gnd::sort(x), 2)) == 1 && are(gnd::unique_values(array{2, 1, 2}), {1, 2}));
    array inverse;
    CHECK(are(gnd::unique_inverse(array{2, 1, 2}, &inverse), {1, 2}) && are(inverse, {1, 0, 1}));
    CHECK(gnd::all(gnd::isin(x, array{1, 2, 3})) && are(gnd::union1d(x, array{9}), {1, 2, 3, 9}));
    CHECK(gnd::nonzero(gnd::reshape(x, {1, 3})).size() == 2 && are(gnd::flatnonzero(x > 1), {0, 2}));
    CHECK(gnd::tril_indices(3, 0, -1).size() == 2 && gnd::unravel_index(array{3}, {2, 2}).size() == 2);
    CHECK(are(gnd::choose(array{0, 1}, {array{1, 2}, 7}), {1, 7}) && are(gnd::get(x, {slice(1, _)}), {1, 2}));
    CHECK(are(gnd::select({x > 2, x > 1}, {10, 20}, 0), {10, 0, 20}));
    array y = x.copy();
    gnd::put(y, array{0}, 8);
    gnd::scatter_add(y, {array{0, 0}}, 1);
    gnd::putmask(y, y < 2, 0);
    CHECK(are(y, {10, 0, 2}) && are(gnd::bincount(x), {0, 1, 1, 1}));
    array edges;
    CHECK(are(gnd::histogram(x, 2, {}, &edges), {1, 2}) && edges.size() == 3);
    std::vector<array> all_edges;
    CHECK(gnd::histogramdd(gnd::ones({4, 2}), {2, 3}, {}, &all_edges).ndim() == 2 && all_edges.size() == 2);
}

TEST(linear_algebra) {
    const array a = {{4.0, 1.0}, {1.0, 3.0}}, b = {1.0, 2.0};
    CHECK(near(gnd::matmul(a, gnd::solve(a, b)), b) && near(gnd::dot(b, b), array(5.0)));
    const auto [q, r] = gnd::qr(a);
    const auto [u, s, vh] = gnd::svd(a);
    const auto [w, v] = gnd::eigh(a, false);
    CHECK(near(gnd::matmul(q, r), a) && near(gnd::matmul(u * s, vh), a) && near(gnd::matmul(a, v), v * w));
    CHECK(near(gnd::matmul(gnd::inv(a), a), gnd::eye(2, -1)) && near(gnd::det(a), array(11.0)));
    CHECK(near(gnd::einsum("ij,j->i", {a, b}), gnd::matmul(a, b)) && near(gnd::norm(b, "2"), array(std::sqrt(5.0))));
    const gnd::einsum_plan plan = gnd::einsum_path("ij,j->i", {a, b});
    CHECK(plan->count >= 1 && value<int64_t>(gnd::matrix_rank(a)) == 2);
    const gnd::lstsq_result fit = gnd::lstsq(a, b);
    CHECK(near(fit.x, gnd::solve(a, b)) && fit.s.size() == 2 && gnd::expm(a).ndim() == 2);
    gnd::product_options into;
    into.out = gnd::zeros({2, 2});
    gnd::matmul_with(a, a, into);
    CHECK(near(into.out, gnd::matrix_power(a, 2)) && gnd::tensordot(a, a, 1).ndim() == 2);
}

TEST(transforms_and_signals) {
    const array x = gnd::sin(counted(64) * 0.5);
    CHECK(near(gnd::real(gnd::ifft(gnd::fft(x))), x) && near(gnd::irfft(gnd::rfft(x), 64), x));
    CHECK(near(gnd::idct(gnd::dct(x)), x) && gnd::fft2(gnd::ones({4, 4})).ndim() == 2);
    const gnd::fft_plan plan = gnd::fft_plan_new(GND_FFT_KIND_FFT, x.astype(gnd::complex128), {}, 0);
    CHECK(near(gnd::fft_plan_run(plan, x.astype(gnd::complex128)), gnd::fft(x)));
    CHECK(are(gnd::convolve(array{1, 2}, array{1, 1}), {1, 3, 2}) && gnd::fftfreq(4).size() == 4);
    CHECK(near(gnd::fftconvolve(x, x), gnd::convolve(x, x)) &&
          are(gnd::interp(array{0.5}, array{0., 1.}, array{0., 4.}), {2}));
    CHECK(gnd::convolve2d(gnd::ones({3, 3}), gnd::ones({2, 2})).dim(0) == 4 && gnd::medfilt(x, 3).size() == 64);
    const array taps = gnd::firwin(5, {0.1, 0.3});
    array zf;
    const array zi = gnd::lfilter_zi(taps, array{1.0});
    CHECK(gnd::lfilter(taps, array{1.0}, x, -1, zi, &zf).size() == 64 && zf.size() == 4);
    CHECK(gnd::lfilter(taps, array{1.0}, x).size() == 64 && gnd::filtfilt(taps, array{1.0}, x).size() == 64);
    const gnd::filter_stream stream = gnd::filter_stream_lfilter(taps, array{1.0}, {}, gnd::float64);
    CHECK(near(gnd::filter_stream_feed(stream, x), gnd::lfilter(taps, array{1.0}, x)));
    const auto [w, h] = gnd::freqz(taps, array{1.0});
    CHECK(w.size() == 512 && h.size() == 512 && gnd::resample_poly(x, 1, 2).size() == 32);
    array f;
    gnd::spectra_options spectra;
    spectra.fs = 10;
    spectra.nperseg = 32;
    CHECK(gnd::welch(x, -1, spectra, &f).size() == 17 && f.size() == 17);
    const gnd::sft transform = gnd::sft_new(gnd::hann(16), 8);
    CHECK(gnd::sft_stft(transform, x, -1).dim(0) == 9);
    const gnd::peaks peaks = gnd::find_peaks(x);
    CHECK(peaks.peaks.size() > 3 && !peaks.widths.exists() &&
          gnd::argrelmax(x, 0, 1, false).at(0).size() == peaks.peaks.size());
    CHECK(gnd::ricker(9, 2).size() == 9 && gnd::chirp(x, 1, 2, 3).size() == 64 && gnd::cspline1d(x).size() == 64);
    CHECK(gnd::czt(x, 64, gnd::none, 1.0).size() == 64 &&
          gnd::melspectrogram(gnd::ones({4000}, gnd::float32)).ndim() == 2);
    CHECK(gnd::pulse_doppler(gnd::ones({4, 4}), gnd::none, 4).ndim() == 2 && gnd::hz_to_mel(1000, GND_MEL_HTK) > 999);
    const gnd::system second = gnd::system_from_tf(array{1.0}, array{1.0, 1.0, 1.0}, 0);
    const auto [t, y] = gnd::step(second);
    CHECK(t.size() == y.size() && gnd::system_ss(second).a.dim(0) == 2);
    int64_t regions = 0;
    CHECK(gnd::label(array{1, 0, 1}, gnd::none, &regions).size() == 3 && regions == 2);
    const gnd::kalman track = gnd::kalman_new(1, 2, 1, 0, gnd::float64);
    CHECK(gnd::kalman_get(track, GND_KALMAN_STATE).size() == 2);
    CHECK(are(gnd::polyval(array{1, 2}, 3), {5}) && gnd::roots(array{1.0, -3.0, 2.0}).size() == 2);
}

TEST(images_special_functions_and_graphs) {
    const array x = {1.0, 2.0}, out = gnd::zeros({2});
    CHECK(near(gnd::gaussian_filter(gnd::ones({5, 5}), 1), gnd::ones({5, 5})) && gnd::sobel(x).size() == 2);
    CHECK(gnd::median_filter(gnd::ones({5, 5}), {3, 3}).dim(0) == 5 && near(gnd::betainc(1, 1, x / 4), x / 4));
    const gnd::graph graph = gnd::graph_new();
    gnd::record(graph, [&] { gnd::add_into(out, x * 2, 1); });
    x(0) = 10;
    gnd::graph_launch(graph);
    CHECK(are(out, {21, 5}));
    CHECK(fails([&] { gnd::record(graph, [&] { (void)value(x(0)); }); }, GND_ERROR_INVALID, "gnd_"));
    CHECK(are(x * 2, {20, 4})); // nothing is recorded any more
}

TEST(random_numbers_streams_and_memory) {
    const gnd::random g = gnd::random_new(GND_PHILOX, 7);
    const array x = gnd::random_normal(g, 0, 1, {1000});
    CHECK(std::abs(value(gnd::mean(x))) < 0.2 && gnd::random_gamma(g, 2, 1, {3}).size() == 3);
    CHECK(gnd::random_choice(g, 10, {4}).size() == 4 && gnd::random_permutation(gnd::random_default(), 5).size() == 5);
    const gnd::stream s = gnd::stream_new();
    {
        const gnd::on current(s);
        CHECK(gnd::current_stream() == s.c() && are(array{1, 2} + 1, {2, 3}));
    }
    gnd::stream_sync(s);
    const gnd::event e = gnd::event_new(false);
    gnd::event_record(e, gnd::current_stream());
    gnd::event_sync(e);
    const gnd::on cpu(gnd_cpu());
    CHECK(gnd::current_device().kind == GND_CPU && gnd::event_done(e));
    const array there{1, 2};
    CHECK(gnd::memory_stats_of(gnd_cpu()).in_use > 0 && gnd::fft_cache_stats_of(gnd_cpu()).limit > 0);
    void *pinned = gnd::pinned_alloc(64);
    gnd::pinned_free(pinned);
}

TEST(files_kernels_and_the_rest) {
    const std::string path = "test_cxx_" + std::to_string(getpid()) + ".npy";
    const array x = gnd::reshape(counted(6), {2, 3});
    gnd::save(path, x);
    CHECK(gnd::array_equal(gnd::load(path), x) && gnd::to_string(array{1}) == "[1]");
    gnd::savetxt(path, x);
    CHECK(gnd::array_equal(gnd::loadtxt(path), x));
    gnd::tofile(path, x);
    CHECK(gnd::fromfile(path, gnd::float64).size() == 6 && gnd::read_bin(path, "rf64_le", -1, 0).size() == 6);
    std::remove(path.c_str());
    const array lines =
        gnd::apply_along_axis([](const gnd_array *line, void *) { return gnd_sum(line, GND_ALL); }, nullptr, x, 1);
    CHECK(are(lines, {3, 12}));
    CHECK(gnd::mask_indices(
              3, [](const gnd_array *m, int64_t k) { return gnd_triu(m, k); }, 0)
              .size() == 2);
    const gnd::benchmark_result timed = gnd::benchmark([](void *) {}, nullptr);
    CHECK(timed.status == GND_OK && gnd::nvtx_is_on() == false);
    const gnd::kernel half = gnd::kernel_elementwise("T x", "T y", "y = x / 2", "half");
    try {
        CHECK(are(gnd::kernel_call(half, {x(0)}), {0, 0.5, 1}));
    } catch (const gnd::error &e) {
        CHECK(e.status() == GND_ERROR_UNAVAILABLE); // no compiler here
    }
}

TEST_MAIN
