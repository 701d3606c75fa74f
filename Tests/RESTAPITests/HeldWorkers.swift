import HoldfastStoreService
import Testing
import HoldfastThreads

/// The workers of a service that runs one long job at a time, held until they are released.
struct HeldWorkers {
    private let isOpen = Monitor(false)

    /// Holds them, and waits until that is so.
    init(of served: ServedStore) {
        let heldCount = Monitor(0)
        // A client of its own: short jobs of one that overran its slice before count as long.
        let client = ClientKey(token: .random(in: 1 << 32 ..< .max))
        for expectation in [Job.Expectation.long, .short] {
            let job = Job(client, expecting: expectation) { [isOpen] _ in
                heldCount.update { $0 += 1 }
                isOpen.wait { $0 ? () : nil }
            }
            #expect(served.scheduler.submit(job))
        }
        heldCount.wait { $0 == 2 ? () : nil }
    }

    func release() { isOpen.update { $0 = true } }
}
