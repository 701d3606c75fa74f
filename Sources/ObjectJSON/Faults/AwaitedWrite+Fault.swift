import HoldfastObjectStore

extension AwaitedWrite {
    /// Makes a write of a store and waits until it is durable.
    ///
    /// - `fault`: Makes the fault that is reported for a failure of the store.
    /// - Throws: ``RequestFault`` that `body` refused the write with, or of the failure.
    package static func run(
        in store: Store, _ fault: (StoreError) -> RequestFault,
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws(RequestFault) {
        let write = AwaitedWrite(body)
        store.submit(write)
        do throws(StoreError) {
            try write.wait()
        } catch {
            if case .refused(let refusal as RequestFault) = error { throw refusal }
            throw fault(error)
        }
    }
}
