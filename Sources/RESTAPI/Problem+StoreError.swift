import ObjectStore

extension Problem {
    /// The problem that a failure of the store is.
    init(_ error: StoreError) {
        switch error {
        case .preconditionFailed:
            self.init(412, "precondition-failed", "The precondition does not hold.")
        default: self.init(500, "internal-error", "The operation failed.")
        }
    }
}
