import HoldfastThreads
import HoldfastStoreService
import Synchronization

/// The memory of whole results that clients have not read yet: together as much as a query's memory, and a quarter of it for one
/// client, so that a client that does not read blocks no other client. Results that are already being written come on top. Any
/// thread.
package final class ResultBudget: Sendable {
    private let all: MemoryBudget
    private let byteCountMax: Int
    private let clients = Mutex<[ClientKey: MemoryBudget]>([:])

    init(byteCountMax: Int) {
        all = MemoryBudget(byteCountMax: byteCountMax)
        self.byteCountMax = byteCountMax / 4
    }

    /// The number of held bytes.
    package var byteCount: Int { all.byteCount }

    /// Whether there is no room for more of a client's results.
    func isTight(for client: ClientKey) -> Bool { all.isTight || share(of: client).isTight }

    /// Counts bytes for as long as their holder lives. No other thread reads them yet.
    func hold(_ bytes: SharedBytes) -> SharedBytes { all.hold(bytes) }

    /// Counts bytes that the total already counts for a client, too, for as long as the result lives.
    func count(_ pieces: [SharedBytes], for client: ClientKey) -> [SharedBytes] {
        let byteCount = pieces.reduce(0) { $0 + $1.count }
        guard byteCount > Self.uncountedByteCountMax else { return pieces }
        let share = share(of: client)
        return pieces.map { share.count($0) }
    }

    /// The bytes of the largest result that is not counted for a client.
    private static let uncountedByteCountMax = 64 << 10

    private func share(of client: ClientKey) -> MemoryBudget {
        clients.withLock { clients in
            if let known = clients[client] { return known }
            // Budgets without held bytes can be dropped.
            if clients.count >= 1024 { clients = clients.filter { $0.value.byteCount > 0 } }
            let made = MemoryBudget(byteCountMax: byteCountMax)
            clients[client] = made
            return made
        }
    }
}
