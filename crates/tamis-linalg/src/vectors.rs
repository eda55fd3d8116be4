//! Loops over vectors, compiled for the widest registers a machine has, with sums in a fixed order.

use crate::elementary::exp;
use pulp::Arch;

/// Σ xᵢyᵢ in eight interleaved sums, so that the order of additions is fixed and the loop vectorises.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    Arch::new().dispatch(|| lanes(x, y))
}

/// Runs short loops compiled for the widest vectors this machine has; long ones need [`widely!`](crate::widely).
#[inline(always)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(work)
}

/// Work with long loops that [`run_wide`] compiles for the widest vectors.
///
/// `run`, and all that it calls in its loops, must be `#[inline(always)]`: a function of its own is compiled for the
/// vectors that every machine has. Closures are too, if they are long; [`vectorised`] is for short ones, and
/// [`widely!`](crate::widely) writes such work where it is used.
pub trait WideWork {
    /// The result.
    type Output;

    /// Does it.
    fn run(self) -> Self::Output;
}

/// Does work compiled for the widest vectors this machine has.
pub fn run_wide<W: WideWork>(work: W) -> W::Output {
    struct Inlined<W>(W);
    impl<W: WideWork> pulp::NullaryFnOnce for Inlined<W> {
        type Output = W::Output;

        #[inline(always)]
        fn call(self) -> W::Output {
            self.0.run()
        }
    }
    Arch::new().dispatch(Inlined(work))
}

/// Runs a block compiled for the widest vectors this machine has. What the block uses comes first, with types whose
/// lifetime is `'a`, then the type of its result.
#[macro_export]
macro_rules! widely {
    (($($name:ident: $type:ty),* $(,)?) -> $output:ty $body:block) => {{
        struct Work<'a> {
            $($name: $type,)*
            lifetime: ::std::marker::PhantomData<&'a ()>,
        }
        impl<'a> $crate::WideWork for Work<'a> {
            type Output = $output;

            #[inline(always)]
            fn run(self) -> $output {
                let Work { $($name,)* lifetime: _ } = self;
                $body
            }
        }
        $crate::run_wide(Work { $($name,)* lifetime: ::std::marker::PhantomData })
    }};
}

/// Replaces each x by x·a·b, with its own a. Cost: one pass.
pub fn scale(x: &[f64], a: &[f64], b: f64, out: &mut [f64]) {
    Arch::new().dispatch(|| out.iter_mut().zip(x).zip(a).for_each(|((o, x), a)| *o = x * a * b));
}

/// Replaces each x by exp(−max(a + b − 2x, 0)), with its own a: a kernel from an inner product and two norms.
/// The error is below 2 units in the last place; what is below e⁻⁷⁰⁸ is 0. Cost: one pass, vectorised.
pub fn exp_of_distance(x: &mut [f64], a: &[f64], b: f64) {
    Arch::new().dispatch(|| x.iter_mut().zip(a).for_each(|(x, a)| *x = exp_of_minus((a + b - 2.0 * *x).max(0.0))));
}

/// e⁻ˣ for x ≥ 0; what is below e⁻⁷⁰⁸ is 0.
#[inline(always)]
fn exp_of_minus(x: f64) -> f64 {
    if x > 708.0 { 0.0 } else { exp(-x) }
}

/// A matrix by columns, of numbers that products take as f64.
pub(crate) trait Columns {
    type Number: Copy + Into<f64>;

    fn column(&self, j: usize) -> &[Self::Number];
}

/// A·x added to `out`.
pub(crate) struct Times<'a, A> {
    pub(crate) matrix: &'a A,
    pub(crate) x: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl<A: Columns> WideWork for Times<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Times { matrix, x, out } = self;
        let rows = out.len();
        // four columns at a time: `out` is read and written a quarter as often
        let (fours, rest) = x.as_chunks::<4>();
        for (four, x) in fours.iter().enumerate() {
            let [a, b, c, d] = [0, 1, 2, 3].map(|next| &matrix.column(4 * four + next)[..rows]);
            for i in 0..rows {
                out[i] += (a[i].into() * x[0] + b[i].into() * x[1]) + (c[i].into() * x[2] + d[i].into() * x[3]);
            }
        }
        for (j, x) in (4 * fours.len()..).zip(rest) {
            let a = &matrix.column(j)[..rows];
            for i in 0..rows {
                out[i] += a[i].into() * x;
            }
        }
    }
}

/// `out` = Aᵀ·x.
pub(crate) struct TransposeTimes<'a, A> {
    pub(crate) matrix: &'a A,
    pub(crate) x: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl<A: Columns> WideWork for TransposeTimes<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for j in 0..self.out.len() {
            self.out[j] = lanes(self.matrix.column(j), self.x);
        }
    }
}

#[inline(always)]
pub(crate) fn lanes<T: Copy + Into<f64>>(x: &[T], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (xc, yc) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xc.remainder().iter().zip(yc.remainder()).map(|(a, b)| (*a).into() * b).sum();
    for (a, b) in xc.zip(yc) {
        for i in 0..8 {
            lanes[i] += a[i].into() * b[i];
        }
    }
    lanes.iter().sum::<f64>() + rest
}
