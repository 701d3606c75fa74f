// The functions that open a view of the store. Results of a view that has failed meanwhile, because storage failed or
// because it took too long, are not valid and are never returned.
extension Store {
    /// Runs `body` with a view of the last commit, which is closed behind it.
    ///
    /// - `left`: A view of this store that is closed becomes the new one, which saves its allocations and the count of
    ///   references to its catalog; and takes its place again.
    /// - Throws: ``StoreError`` of `body`; first that of the view, which throws also where `body` does not.
    package func withRead<Result>(
        reusing left: ReusableView? = nil, _ body: (StoreView) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let read = try read(reusing: left?.view.take())
        defer {
            read.close()
            left?.view = read
        }
        return try read.checked { () throws(StoreError) in try body(read) }
    }

    /// Opens a view of the last commit that its owner closes at any time; the data file grows meanwhile by later writes.
    /// Another thread may use it after the first has stopped.
    ///
    /// Objects found on it count only if ``ReadTransaction/checkFailure()`` does not throw afterwards.
    ///
    /// - Throws: ``StoreError`` `.storage`, with `.readersFull` when as many are open as the engine takes.
    package func openView() throws(StoreError) -> StoreView { try read() }

    /// Opens a view of the last commit that stays open from one call to the next.
    package func holdRead() throws(StoreError) -> LongRead { LongRead(try read()) }
}

extension ReadTransaction {
    /// Runs `body`, which uses the view.
    ///
    /// - Throws: As ``Store/withRead(reusing:_:)``.
    package func checked<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let result: Result
        do throws(StoreError) { result = try body() } catch {
            // A refusal for a missing object is not valid if the view has failed.
            try checkFailure()
            throw error
        }
        try checkFailure()
        return result
    }
}
