import HoldfastStoreService
import Synchronization

/// The whole results that clients have before them and have not read: together as much as a query's memory, and of one client a
/// quarter of that, so that who does not read stops nobody else. What is being written already is beside that. Any thread.
package final class ResultBudget: Sendable {
    private let all: StreamBudget
    private let byteCountMax: Int
    private let clients = Mutex<[ClientKey: StreamBudget]>([:])

    init(byteCountMax: Int) {
        all = StreamBudget(byteCountMax: byteCountMax)
        self.byteCountMax = byteCountMax / 4
    }

    /// How many bytes are held.
    package var byteCount: Int { all.byteCount.load(ordering: .relaxed) }

    /// Whether there is no room for more of a client's.
    func isTight(for client: ClientKey) -> Bool { all.isTight || share(of: client).isTight }

    /// Counts bytes as long as their holder lives; no other thread reads them yet.
    func hold(_ bytes: SharedBytes) -> SharedBytes { all.hold(bytes) }

    /// Counts what is held by all as a client's, too, as long as what is returned lives.
    func count(_ pieces: [SharedBytes], for client: ClientKey) -> [SharedBytes] {
        let byteCount = pieces.reduce(0) { $0 + $1.count }
        guard byteCount > Self.uncountedByteCountMax else { return pieces }
        let share = share(of: client)
        return pieces.map { share.count($0) }
    }

    /// The greatest result that is not counted for a client.
    private static let uncountedByteCountMax = 64 << 10

    private func share(of client: ClientKey) -> StreamBudget {
        clients.withLock { clients in
            if let known = clients[client] { return known }
            // Of those that hold nothing none is missed.
            if clients.count >= 1024 {
                clients = clients.filter { $0.value.byteCount.load(ordering: .relaxed) > 0 }
            }
            let made = StreamBudget(byteCountMax: byteCountMax)
            clients[client] = made
            return made
        }
    }
}
