import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension ServedStore {
    /// What a write has answered.
    package enum Answer: Equatable {
        case json(String, isCreated: Bool)

        /// The JSON of the reply.
        package var text: String { if case .json(let text, _) = self { text } else { "" } }
    }

    /// Makes a write and waits for it. `amid` runs when its request has been read, and before it is handed in.
    package func make<Body: WriteCase>(
        _ body: Body, _ claim: IdempotencyClaim? = nil,
        amid: (ServedWrite<Body, WaitingThread>) throws -> Void = { _ in }
    ) throws -> Answer {
        let write = try ServedWrite(body, waiter: WaitingThread(), claim, in: self)
        try amid(write)
        write.start()
        write.waiter.wait()
        defer { write.end() }
        let reply = try write.answer()
        let text = String(decoding: RequestScratch.current.reply.bytes, as: UTF8.self)
        return .json(reply.hasJSON ? text : "", isCreated: reply.isCreated)
    }
}
