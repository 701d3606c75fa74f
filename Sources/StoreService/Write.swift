import ObjectStore

/// One write with the result that its body makes and somebody who waits for it.
package final class Write<Result: Sendable>: PendingWrite, @unchecked Sendable {
    // Unchecked: the writer's thread alone touches `result` and calls the closures.

    /// What a write led to.
    package struct Committed: Sendable {
        /// What the body returned when it last ran.
        package var result: Result
        /// The version that the write made, or the current one if it changed nothing.
        package var version: StoreVersion
    }

    private let body: (WriteTransaction) throws(StoreError) -> Result
    private let completion: (Swift.Result<Committed, StoreError>) -> Void
    private var result: Result?
    private var epoch: UInt64 = 0

    /// Makes a write.
    ///
    /// - Parameters:
    ///   - body: Makes the changes; may run more than once. What it returns must not point into the
    ///     transaction.
    ///   - completion: Called once on the writer's thread after the sync; must not block.
    package init(
        _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Result,
        completion: @escaping @Sendable (Swift.Result<Committed, StoreError>) -> Void
    ) {
        self.body = body
        self.completion = completion
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        epoch = transaction.epoch
        result = try body(transaction)
    }

    package func finish(_ outcome: WriteOutcome) {
        switch outcome {
        case .failed(let error): completion(.failure(error))
        case .committed(let number):
            guard let result else { return completion(.failure(.closing)) }
            completion(
                .success(
                    Committed(result: result, version: StoreVersion(epoch: epoch, number: number))))
        }
        result = nil
    }
}
