/// The clients whose jobs have lately held a turn for many time slices: their next jobs are expected to.
///
/// Each job of such a client that ends without that counts against it, so that it is forgotten after a few. Only so
/// many clients are remembered.
struct Overruns {
    /// So many jobs that end without overrunning make up for one that did.
    static let jobCount = 4
    /// The most clients that are remembered.
    static let clientCountMax = 256

    private var left: [ClientKey: Int] = [:]
    /// The clients, those that came first in front.
    private var order: [ClientKey] = []

    /// Whether a client's next job is expected to take long.
    func contains(_ client: ClientKey) -> Bool { left[client] != nil }

    /// Notes that a job of a client has overrun its slice.
    mutating func note(_ client: ClientKey) {
        if left.updateValue(Self.jobCount, forKey: client) != nil { return }
        order.append(client)
        if order.count > Self.clientCountMax { left[order.removeFirst()] = nil }
    }

    /// Notes that a job of a client has ended without that.
    mutating func forgive(_ client: ClientKey) {
        guard let count = left[client] else { return }
        if count > 1 {
            left[client] = count - 1
        } else {
            left[client] = nil
            order.removeAll { $0 == client }
        }
    }
}
