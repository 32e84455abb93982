program density
  use gnd
  implicit none
  real(8), parameter :: mean = 0.1d0, sigma = 1.3d0, root_two_pi = 2.5066282746310005d0
  type(gnd_array) :: x, y
  type(gnd_fuse_block), target :: block

  x = gnd_linspace(mean - 6*sigma, mean + 6*sigma, 1000001)
  call gnd_fuse_open(block)
  y = gnd_exp(-0.5d0*gnd_square((x - mean)/sigma))/(sigma*root_two_pi)
  call gnd_fuse_close(block)
  print '(a)', gnd_to_string(gnd_slice(y, '::250000'))
  print '(a, f11.9)', 'area ', gnd_item_double(gnd_trapezoid(y, x))
end program
