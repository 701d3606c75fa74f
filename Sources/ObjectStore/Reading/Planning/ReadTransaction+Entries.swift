import HoldfastRows
import HoldfastStorage

extension ReadTransaction {
    /// Walks the entries of storage in a range, or backwards, until `body` returns false or throws.
    ///
    /// - `expecting`: The number of entries likely to be taken.
    @inline(__always)
    func scanEntries(
        _ range: KeyRange, reversed: Bool = false, expecting: Int,
        _ body: (_ entry: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
            throws(StoreError) -> Bool
    ) throws(StoreError) {
        try snapshot.walk(range, reversed: reversed, expecting: expecting, body)
    }
}
