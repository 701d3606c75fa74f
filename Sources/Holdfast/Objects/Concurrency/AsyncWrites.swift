import HoldfastObjectStore

/// The asynchronous writes of a realm, in the order of their begin. Used where the realm belongs.
final class AsyncWrites {
    /// A waiting write.
    struct Request {
        let id: Realm.AsyncTransactionId
        /// Runs in the write. The write is cancelled if this returns without ending it.
        let run: () -> Void
        /// Receives the error if the write can't begin.
        let fail: (any Error) -> Void
    }

    /// A commit on its way to the medium.
    struct Commit {
        let id: Realm.AsyncTransactionId
        let interactiveWrite: InteractiveWrite
        var onComplete: ((any Error)?) -> Void
    }

    private(set) var requests: [Request] = []
    /// The number of waiting writes that became due while another write was open.
    var overdueCount = 0
    private var lastID: Realm.AsyncTransactionId = 0
    /// The commit, until its outcome is requested.
    var commit: Commit?
    /// The completions that are to be called after commits.
    private var told: [(id: Realm.AsyncTransactionId, tell: () -> Void)] = []

    var isEmpty: Bool { requests.isEmpty && commit == nil && told.isEmpty }

    func makeID() -> Realm.AsyncTransactionId {
        lastID += 1
        return lastID
    }

    func append(_ request: Request) { requests.append(request) }

    func takeRequest() -> Request? { requests.isEmpty ? nil : requests.removeFirst() }

    /// Takes out a write that waits.
    func takeRequest(_ id: Realm.AsyncTransactionId) -> Request? {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return nil }
        return requests.remove(at: index)
    }

    /// Forgets the observers of a commit.
    func forget(_ id: Realm.AsyncTransactionId) {
        if commit?.id == id { commit?.onComplete = { _ in } }
        told.removeAll { $0.id == id }
    }

    // MARK: Telling

    func tell(_ id: Realm.AsyncTransactionId, _ tell: @escaping () -> Void) {
        told.append((id, tell))
    }

    /// Calls the completions of commits with an outcome, in their order.
    func deliver() {
        while !told.isEmpty { told.removeFirst().tell() }
    }
}
