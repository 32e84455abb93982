! test_fortran.f90: a tour of module gnd: what it has of its own, and a call or more of each header's functions. The
! functions' values are the oracle's business; here are those that show that arguments arrive and results come back.
module tour
  use, intrinsic :: iso_c_binding
  use gnd
  implicit none
  integer :: number = 0, failures = 0
  integer(c_int64_t) :: alive = 0

contains

  subroutine begin()
    alive = gnd_live_arrays()
    failures = 0
  end subroutine

  !> A test ends: none of its checks failed, and it has left no arrays.
  subroutine finish(name)
    character(len=*), intent(in) :: name
    number = number + 1
    if (gnd_live_arrays() /= alive) then
      print '(a, i0, a)', '# left ', gnd_live_arrays() - alive, ' arrays unreleased'
      failures = failures + 1
    end if
    print '(a, i0, a)', merge('not ok ', 'ok     ', failures > 0), number, ' - '//name
  end subroutine

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(a)', '# not so: '//what
  end subroutine

  !> Whether an array prints so.
  subroutine prints(x, text)
    type(gnd_array), intent(in) :: x
    character(len=*), intent(in) :: text
    call check(gnd_to_string(x) == text, gnd_to_string(x)//' is '//text)
  end subroutine

  subroutine near(x, y)
    type(gnd_array), intent(in) :: x, y
    call check(gnd_allclose(x, y, rtol=1e-6, atol=1e-8), gnd_to_string(x)//' is near '//gnd_to_string(y))
  end subroutine

  function double_of(x) result(y)
    type(gnd_array), intent(in) :: x
    type(gnd_array) :: y
    y = x + x ! twice, so that a temporary argument must still be there
  end function

  function counted(n) result(x)
    integer, intent(in) :: n
    type(gnd_array) :: x
    x = gnd_arange(0, n, 1, GND_FLOAT64)
  end function

  ! ---- what is Fortran's ------------------------------------------------------------------------------------

  subroutine fortran_arrays()
    real(c_double), target :: a(3, 4), b(3, 4), cube(2, 3, 4)
    real(c_float), target :: single(5)
    complex(c_double), target :: z(2)
    logical(c_bool), target :: truth(2)
    integer(c_int64_t), target :: empty(0)
    type(gnd_array) :: x
    type(gnd_device) :: device
    logical :: shares
    integer :: i
    integer(c_int) :: stat
    device = gnd_current_device()
    shares = device%kind == GND_CPU ! a GPU gets a copy
    a = reshape([(real(i, c_double), i=1, 12)], [3, 4])
    x = gnd_from(a)
    call check(gnd_dim(x, 0) == 3 .and. gnd_stride(x, 1) == 24, 'the shape is the same, the strides grow')
    call check(gnd_is_f_contiguous(x) .and. gnd_item_double(gnd_slice(x, '2, 1')) == a(3, 2), 'elements by index')
    a(1, 1) = 50
    call check((gnd_item_double(gnd_slice(x, '0, 0')) == 50) .eqv. shares, 'the memory is shared')
    call gnd_set(x, gnd_list(1), 0)
    call check(all(a(2, :) == 0) .eqv. shares, 'and written')
    if (.not. shares) call gnd_to(x, a)
    call prints(gnd_from(a(3:1:-2, 2:3)), '[[6. 9.]'//c_new_line//' [4. 7.]]')
    call gnd_to(x*2, b)
    call check(all(b == 2*a), 'gnd_to')
    b = 0
    call gnd_to(gnd_slice(x, ':2, ::2'), b(1:2, 3:4))
    call check(all(b(1:2, 3:4) == a(1:2, 1:3:2)), 'a part to a part')
    call gnd_to(x, b(1:2, :), stat)
    call check(stat == GND_ERROR_SHAPE, 'another shape')
    single = 0.5
    call check(gnd_dtype_of(gnd_from(single)) == GND_FLOAT32, 'float32')
    call gnd_to(gnd_ones([5], GND_FLOAT64), single)
    call check(all(single == 1), 'cast within the kind')
    z = (1, 2)
    truth = [.true._c_bool, .false._c_bool]
    call prints(gnd_from(z), '[1.+2.j 1.+2.j]')
    call prints(gnd_from(truth), '[ True False]')
    call check(gnd_size(gnd_from(empty)) == 0, 'no elements')
    cube = 1
    cube(2, 3, 4) = 7
    call check(gnd_item_double(gnd_slice(gnd_from(cube), '1, 2, 3')) == 7, 'three dimensions')
    call prints(gnd_copy_from([1, 2, 3]), '[1 2 3]')
    call prints(gnd_copy_from(5), '5')
  end subroutine

  subroutine references()
    type(gnd_array) :: x, y, none
    type(gnd_array), allocatable :: several(:), others(:)
    x = gnd_copy_from([1, 2, 3])
    y = x
    call gnd_set(y, gnd_list(0), 10)
    call prints(x, '[10  2  3]')
    y = gnd_copy(x)
    x = x
    call gnd_set(y, gnd_list(0), 5)
    call prints(x, '[10  2  3]')
    call prints(double_of(x + 1), '[22  6  8]')
    call prints(double_of(double_of(x)) - x, '[30  6  9]')
    allocate (several(2), others(2))
    several(1) = x
    several(2) = several(1) + 1
    others = several
    call prints(others(2), '[11  3  4]')
    several(1) = several(2)
    several(2) = several(2)
    several(2:1:-1) = several
    call prints(several(1) + several(2), '[22  6  8]')
    several(2) = gnd_none()
    call check(c_associated(others(2)%c()) .and. .not. c_associated(several(2)%c()), 'none')
    none = gnd_none()
    y = none
    call check(.not. c_associated(y%c()), 'of none')
  end subroutine

  subroutine operators()
    type(gnd_array) :: x, y
    x = gnd_copy_from([1, 2, 3])
    y = gnd_copy_from([2, 2, 2])
    call prints(x + y, '[3 4 5]')
    call prints(2 - x, '[ 1  0 -1]')
    call prints(x*2/y, '[1. 2. 3.]')
    call prints(x**2, '[1 4 9]')
    call prints(-x, '[-1 -2 -3]')
    call prints(x + 0.5, '[1.5 2.5 3.5]')
    call prints(0.5d0*x, '[0.5 1.  1.5]')
    call prints(x*(0d0, 1d0), '[0.+1.j 0.+2.j 0.+3.j]')
    call prints(x + 4_c_int64_t, '[5 6 7]')
    call prints(x == y .or. x > 2, '[False  True  True]')
    call prints(.not. (x /= 2 .and. x <= 3), '[False  True False]')
    call prints(x >= 2, '[False  True  True]')
    call prints(x < y, '[ True False False]')
    call check(gnd_dtype_of(gnd_ones([1], GND_FLOAT32) + 0.5d0) == GND_FLOAT32, 'numbers are weak')
  end subroutine

  subroutine errors()
    type(gnd_array) :: x
    integer(c_int) :: stat
    x = gnd_add(gnd_ones([3]), gnd_ones([2]), stat)
    call check(stat == GND_ERROR_SHAPE .and. .not. c_associated(x%c()), 'a shape error')
    call check(gnd_message() == 'gnd_add: shapes (3,) and (2,) do not broadcast together', gnd_message())
    x = gnd_load('/no/such/file.npy', stat)
    call check(stat == GND_ERROR_IO .and. index(gnd_message(), '/no/such/file.npy') > 0, gnd_message())
    x = gnd_reshape(gnd_ones([6]), [2, 3], stat)
    call check(stat == 0 .and. gnd_ndim(x) == 2, 'no error')
    x = gnd_sqrt(gnd_none(), stat)
    call check(stat /= 0, 'no array')
  end subroutine

  subroutine blocks_and_options()
    type(gnd_array) :: x, y, sos
    type(gnd_fuse_block), target :: block
    type(gnd_filter_design) :: design
    type(gnd_iir_options) :: o
    type(gnd_print_options) :: p
    type(gnd_axes_type) :: axes
    x = gnd_linspace(0, 1, 100000, .true., GND_FLOAT32)
    y = gnd_sqrt(x*x + 1)*0.5
    call gnd_fuse_open(block)
    x = gnd_sqrt(x*x + 1)*0.5
    call gnd_fuse_close(block)
    call near(x, y)
    o%output = GND_SOS
    o%fs = 48000
    call gnd_butter(design, 4, [1000], o)
    sos = gnd_share(design%sos)
    call gnd_filter_design_release(design)
    call check(gnd_dim(sos, 0) == 2 .and. gnd_dim(sos, 1) == 6, 'sections')
    axes = gnd_along(0, keepdims=.true., dtype=GND_INT64)
    call prints(gnd_sum(gnd_ones([2, 3]), axes), '[[2 2 2]]')
    call prints(gnd_sum(gnd_ones([2, 3, 4]), gnd_along([0, 2])), '[8. 8. 8.]')
    p = gnd_get_printoptions()
    p%precision = 2
    call gnd_set_printoptions(p)
    call prints(gnd_copy_from([1.23456d0]), '[1.23]')
    call gnd_set_printoptions()
  end subroutine

  ! ---- a call of each header --------------------------------------------------------------------------------

  subroutine describing_and_making()
    type(gnd_array) :: x
    x = gnd_zeros([2, 3], GND_FLOAT32)
    call check(gnd_nbytes(x) == 24 .and. gnd_dtype_name(gnd_dtype_of(x)) == 'float32', 'described')
    call check(gnd_promote_types(GND_INT32, GND_FLOAT32) == GND_FLOAT64, 'promotion')
    call check(len(gnd_version()) >= 5 .and. gnd_library_count() > 0, 'the library')
    call prints(gnd_full([2], 7), '[7 7]')
    call prints(gnd_eye(2, -1, dtype=GND_INT32), '[[1 0]'//c_new_line//' [0 1]]')
    call check(gnd_size(gnd_linspace(0, 1)) == 50, 'linspace')
    call prints(gnd_astype(gnd_copy_from([1.5, 2.5]), GND_INT8), '[1 2]')
    call check(gnd_size(gnd_empty([0, 4])) == 0, 'empty')
  end subroutine

  subroutine views_and_rearranging()
    type(gnd_array) :: x, y
    type(gnd_array), allocatable :: parts(:)
    type(gnd_cuts) :: cuts
    x = gnd_reshape(counted(6), [2, 3])
    call prints(gnd_ravel(gnd_transpose(x)), '[0. 3. 1. 4. 2. 5.]')
    call prints(gnd_slice(x, '::-1, 1:'), '[[4. 5.]'//c_new_line//' [1. 2.]]')
    call prints(gnd_get(x, gnd_list(1, gnd_copy_from([0, 2]))), '[3. 5.]')
    call check(gnd_dim(gnd_concatenate(gnd_list(x, x), axis=1), 1) == 6, 'concatenate')
    call check(gnd_ndim(gnd_stack(gnd_list(x, x, x))) == 3, 'stack')
    call check(gnd_dim(gnd_concat(gnd_list(x, x)), 0) == 4, 'a second name')
    call check(gnd_dim(gnd_block(1, 2, gnd_list(x, x)), 1) == 6, 'block')
    cuts%sections = 150
    call gnd_array_split(counted(200), cuts, 0, parts)
    call check(size(parts) == 150, 'array_split')
    call gnd_meshgrid(gnd_list(counted(2), counted(3)), out=parts)
    call check(size(parts) == 2, 'meshgrid')
    call prints(gnd_roll(gnd_copy_from([1, 2, 3]), 1), '[3 1 2]')
    call prints(gnd_insert(gnd_copy_from([1, 3]), 1, 2, 0), '[1 2 3]')
    call prints(gnd_tril(gnd_ones([2, 2])), '[[1. 0.]'//c_new_line//' [1. 1.]]')
    call gnd_nonzero(x > 3, parts)
    call prints(parts(2), '[1 2]')
    y = gnd_copy(x)
    call gnd_set(y, gnd_list(':', '1:'), gnd_zeros([2]))
    call prints(y, '[[0. 0. 0.]'//c_new_line//' [3. 0. 0.]]')
  end subroutine

  subroutine elements_and_reductions()
    type(gnd_array) :: x, q, r, out
    x = gnd_copy_from(reshape([1d0, 3d0, 2d0, 5d0], [2, 2]))
    call prints(gnd_where(x > 2, x, 0), '[[0. 0.]'//c_new_line//' [3. 5.]]')
    call prints(gnd_clip(x, gnd_none(), 3), '[[1. 2.]'//c_new_line//' [3. 3.]]')
    call gnd_divmod(q, r, gnd_copy_from([7, 8]), 4)
    call prints(q, '[1 2]')
    call prints(r, '[3 0]')
    out = gnd_zeros([2, 2])
    call gnd_add_into(out, x, 1)
    call prints(gnd_apply('multiply', gnd_list(out, 2)), '[[ 4.  6.]'//c_new_line//' [ 8. 12.]]')
    call check(gnd_item_double(gnd_sum(x)) == 11 .and. gnd_item_int(gnd_argmax(x)) == 3, 'reduced')
    call prints(gnd_mean(x, 0), '[2.  3.5]')
    call prints(gnd_cumsum(x, 1), '[[1. 3.]'//c_new_line//' [3. 8.]]')
    call prints(gnd_diff(x), '[[1.]'//c_new_line//' [2.]]')
    call check(gnd_item_double(gnd_median(x)) == 2.5d0, 'median')
    call check(gnd_item_double(gnd_quantile(x, 0.5)) == 2.5d0, 'quantile')
    call prints(gnd_accumulate('add', gnd_copy_from([1, 2, 3])), '[1 3 6]')
    call check(gnd_array_equal(x, x), 'equal')
  end subroutine

  subroutine sorting_and_counting()
    type(gnd_array) :: x, values, indices, edges, inverse
    x = gnd_copy_from([3, 1, 2])
    call prints(gnd_sort(x), '[1 2 3]')
    call prints(gnd_argsort(x), '[1 2 0]')
    call gnd_topk(values, indices, x, 2)
    call check(gnd_size(values) == 2 .and. gnd_size(indices) == 2, 'topk')
    call prints(gnd_partition(x, [1]), '[1 2 3]')
    call prints(gnd_unique_inverse(gnd_copy_from([2, 1, 2]), inverse), '[1 2]')
    call prints(inverse, '[1 0 1]')
    call prints(gnd_histogram(x, 2, edges=edges), '[1 2]')
    call check(gnd_size(edges) == 3, 'edges')
    call prints(gnd_bincount(x), '[0 1 1 1]')
    call prints(gnd_take(x, gnd_copy_from([0, 2])), '[3 2]')
    call prints(gnd_choose(gnd_copy_from([0, 1]), gnd_list(gnd_copy_from([1, 2]), 7)), '[1 7]')
    call prints(gnd_isin(x, gnd_copy_from([1, 2])), '[False  True  True]')
  end subroutine

  subroutine linear_algebra()
    real(c_double), target :: m(2, 2) = reshape([4d0, 1d0, 1d0, 3d0], [2, 2]), v(2) = [1d0, 2d0]
    type(gnd_array) :: a, b, q, r, u, s, vh, w
    a = gnd_from(m)
    b = gnd_from(v)
    call near(gnd_matmul(a, gnd_solve(a, b)), b)
    call near(gnd_matmul(a, b), gnd_copy_from(matmul(m, v)))
    call gnd_qr(q, r, a)
    call near(gnd_matmul(q, r), a)
    call gnd_svd(u, s, vh, a)
    call near(gnd_matmul(u*s, vh), a)
    call gnd_eigh(w, u, a, .false.)
    call near(gnd_matmul(a, u), u*w)
    call near(gnd_einsum('ij,j->i', gnd_list(a, b)), gnd_matmul(a, b))
    call check(abs(gnd_item_double(gnd_det(a)) - 11) < 1d-12, 'det')
    call near(gnd_norm(b, '2'), gnd_copy_from(sqrt(5d0)))
  end subroutine

  subroutine transforms_and_signals()
    type(gnd_array) :: x, taps, zf, w, h, f, peaks
    type(c_ptr) :: stream, system
    type(gnd_spectra_options) :: o
    type(gnd_peaks) :: found
    type(gnd_system_info) :: info
    integer(c_int64_t) :: regions
    integer :: one(1) = 1 ! one(1:0) is the shape of a single channel
    x = gnd_sin(counted(64)*0.5d0)
    call near(gnd_real(gnd_ifft(gnd_fft(x))), x)
    call near(gnd_irfft(gnd_rfft(x), 64), x)
    call near(gnd_idct(gnd_dct(x)), x)
    call near(gnd_fftconvolve(x, x), gnd_convolve(x, x))
    taps = gnd_firwin(5, [0.1, 0.3])
    w = gnd_lfilter(taps, gnd_ones([1]), x, zi=gnd_lfilter_zi(taps, gnd_ones([1])), zf=zf)
    call check(gnd_size(zf) == 4, 'the final state')
    stream = gnd_filter_stream_lfilter(taps, gnd_ones([1]), one(1:0), GND_FLOAT64)
    call near(gnd_filter_stream_feed(stream, x), gnd_lfilter(taps, gnd_ones([1]), x))
    call gnd_filter_stream_release(stream)
    call gnd_freqz(w, h, taps, gnd_ones([1]))
    call check(gnd_size(w) == 512, 'freqz')
    o%fs = 10
    o%nperseg = 32
    w = gnd_welch(x, options=o, f=f)
    call check(gnd_size(w) == 17 .and. gnd_size(f) == 17, 'welch')
    call gnd_find_peaks(found, x)
    peaks = gnd_share(found%peaks)
    call gnd_peaks_release(found)
    call check(gnd_size(peaks) > 3, 'peaks')
    call check(gnd_size(gnd_resample_poly(x, 1, 2)) == 32, 'resample_poly')
    call check(gnd_size(gnd_hann(16)) == 16 .and. gnd_size(gnd_ricker(9, 2)) == 9, 'windows')
    system = gnd_system_from_tf(gnd_ones([1]), gnd_ones([3]), 0)
    info = gnd_system_info_of(system)
    call gnd_step(w, h, system)
    call gnd_system_release(system)
    call check(info%inputs == 1 .and. gnd_size(w) == gnd_size(h), 'a system')
    w = gnd_label(gnd_copy_from([1, 0, 1]), count=regions)
    call check(regions == 2, 'regions')
    call prints(gnd_polyval(gnd_copy_from([1, 2]), 3), '5')
    call check(gnd_hz_to_mel(1000, GND_MEL_HTK) > 999, 'mel')
    call prints(gnd_interp(gnd_copy_from([0.5d0]), gnd_copy_from([0d0, 1d0]), gnd_copy_from([0d0, 4d0])), '[2.]')
  end subroutine

  subroutine random_files_and_the_rest()
    type(c_ptr) :: g, stream, kernel, graph
    type(gnd_device) :: cpu
    type(gnd_memory_stats) :: stats
    type(gnd_array) :: x, out
    integer(c_int) :: stat
    character(len=*), parameter :: path = 'test_fortran.npy'
    g = gnd_random_new(GND_PHILOX, 7)
    x = gnd_random_normal(g, 0, 1, [1000])
    call check(abs(gnd_item_double(gnd_mean(x))) < 0.2, 'normal')
    call check(gnd_size(gnd_random_permutation(g, 5)) == 5, 'permutation')
    call gnd_random_release(g)
    call near(gnd_gaussian_filter(gnd_ones([5, 5]), 1), gnd_ones([5, 5]))
    call near(gnd_betainc(1, 1, gnd_copy_from(0.25d0)), gnd_copy_from(0.25d0))
    x = gnd_copy_from([1d0, 2d0])
    out = gnd_zeros([2])
    graph = gnd_graph_new()
    call gnd_graph_begin(graph)
    call gnd_add_into(out, x*2, 1)
    call gnd_graph_end(graph)
    call gnd_set(x, gnd_list(0), 10)
    call gnd_graph_launch(graph)
    call prints(out, '[21.  5.]')
    call gnd_graph_release(graph)
    stream = gnd_stream_new()
    call gnd_use_stream(stream)
    call prints(gnd_ones([2]) + 1, '[2. 2.]')
    call gnd_stream_sync(stream)
    cpu%kind = GND_CPU
    call gnd_use(cpu)
    call gnd_stream_release(stream)
    call gnd_memory_stats_of(cpu, stats)
    call check(stats%allocations > 0 .and. gnd_device_name(cpu) == 'cpu', 'the device')
    x = gnd_copy_from([1d0, 2d0])
    call gnd_save(path, x)
    call check(gnd_array_equal(gnd_load(path), x), 'a file')
    call gnd_savetxt(path, x)
    call check(gnd_array_equal(gnd_loadtxt(path), x), 'a text')
    open (unit=10, file=path)
    close (10, status='delete')
    kernel = gnd_kernel_elementwise('T x', 'T y', 'y = x / 2', 'half', stat=stat)
    x = gnd_kernel_call(kernel, gnd_list(x), stat)
    if (stat == 0) call prints(x, '[0.5 1. ]')
    call check(stat == 0 .or. stat == GND_ERROR_UNAVAILABLE, 'a kernel')
    call gnd_kernel_release(kernel)
  end subroutine
end module tour

program test_fortran
  use tour
  implicit none
  print '(a)', '1..12'
  call begin(); call fortran_arrays(); call finish('fortran_arrays')
  call begin(); call references(); call finish('references')
  call begin(); call operators(); call finish('operators')
  call begin(); call errors(); call finish('errors')
  call begin(); call blocks_and_options(); call finish('blocks_and_options')
  call begin(); call describing_and_making(); call finish('describing_and_making')
  call begin(); call views_and_rearranging(); call finish('views_and_rearranging')
  call begin(); call elements_and_reductions(); call finish('elements_and_reductions')
  call begin(); call sorting_and_counting(); call finish('sorting_and_counting')
  call begin(); call linear_algebra(); call finish('linear_algebra')
  call begin(); call transforms_and_signals(); call finish('transforms_and_signals')
  call begin(); call random_files_and_the_rest(); call finish('random_files_and_the_rest')
end program
