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
        var failure: StoreError?
        do throws(StorageError) {
            try snapshot.scan(range, reversed: reversed, expecting: expecting) { entry, value in
                do throws(StoreError) { return try body(entry, value) } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            throw .storage(error)
        }
        if let failure { throw failure }
    }
}
