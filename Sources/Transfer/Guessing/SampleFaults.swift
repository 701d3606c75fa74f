import HoldfastObjectJSON

/// The objects of a sample that could not be read.
struct SampleFaults: Sendable {
    /// The number of these objects.
    private(set) var count = 0
    /// The first fault.
    private(set) var first: String?

    /// Notes an object.
    mutating func note(_ detail: String) {
        count += 1
        first = first ?? detail
    }

    /// Makes sure that there is something to guess from.
    ///
    /// - Throws: ``RequestFault`` `.invalid` without an object, with the first fault.
    func requireObjects(_ objectCount: Int) throws(RequestFault) {
        if objectCount > 0 { return }
        let reason = first.map { " The first fault is: \($0)" } ?? ""
        throw RequestFault(
            .invalid, "empty-sample",
            "The sample has no object that can be read, so no class can be guessed.\(reason)")
    }
}
