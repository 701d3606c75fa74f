import HoldfastRows

/// A view that stays open from one call to the next, such as that of an export. One thread at a time uses it.
package final class LongRead {
    private let read: ReadTransaction

    init(_ read: ReadTransaction) { self.read = read }

    /// The number of the commit that it sees.
    package var commit: UInt64 { read.commit }

    package var rows: RowSchema { read.rows }

    /// Runs `body` with the view.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func withRead<Result>(
        _ body: (ReadTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try read.checked { () throws(StoreError) in try body(read) }
    }

    /// The view that shows only the readable part for a principal, see ``StoreView/restricted(to:)``, in place of this one.
    package func restricted(to visibility: Visibility?) -> LongRead {
        LongRead(read.unrestricted.restricted(to: visibility))
    }

    /// Ends the view. Closing twice is harmless.
    package func close() { read.close() }
}

/// The closed view that a thread has left, for its next one. One thread at a time uses it.
///
/// Benchmark row: `point-get`.
package final class ReusableView {
    var view: StoreView?

    /// Makes room for one.
    package init() {}
}
