/// The time that a query has, at which it looks now and then.
struct QueryClock {
    /// So many steps are made between two looks.
    static let stepCountUnseen = 1024

    private let transaction: ReadTransaction
    private let deadlineMilliseconds: UInt64
    private var stepCount = 0
    private var nextLook = stepCountUnseen

    init(_ transaction: ReadTransaction, _ limits: QueryLimits) {
        self.transaction = transaction
        deadlineMilliseconds = limits.deadlineMilliseconds
    }

    /// Counts steps of the query without a look.
    mutating func add(steps: Int) { stepCount += steps }

    /// Counts steps of the query and tells whether there is time for more.
    mutating func isInTime(steps: Int = 1) -> Bool {
        stepCount += steps
        guard stepCount >= nextLook, deadlineMilliseconds != .max else { return true }
        nextLook = stepCount + Self.stepCountUnseen
        return !transaction.isOver(deadlineMilliseconds)
    }

    /// Counts a step of the query.
    ///
    /// - Throws: ``StoreError`` `.stopped` when its time is over.
    mutating func requireTime() throws(StoreError) {
        if !isInTime() { throw .stopped(.time) }
    }
}
