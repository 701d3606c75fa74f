import Bytes
import JSON
import ObjectJSON
import StoreService
import Threads

/// A thread that waits for its write.
struct WaitingThread: WriteWaiter {
    private let isFinished = Monitor(false)

    func wake<Body: WriteBody>(_ write: ServedWrite<Body, WaitingThread>) {
        isFinished.signal { isFinished in
            isFinished = true
            return true
        }
    }

    func tell<Body: WriteBody>(_ write: ServedWrite<Body, WaitingThread>) { wake(write) }

    /// Waits until the write is durable or has failed.
    func wait() { isFinished.wait { $0 ? () : nil } }
}

extension ServedStore {
    /// What a write has answered.
    enum Answer: Equatable {
        case json(String, isCreated: Bool)
    }

    /// Makes a write and waits for it. `amid` runs when its request has been read, and before it is handed in.
    func make(
        _ body: some WriteBody, _ claim: IdempotencyClaim? = nil, amid: () throws -> Void = {}
    ) throws -> Answer {
        let write = try ServedWrite(body, waiter: WaitingThread(), claim, in: self)
        try amid()
        write.start()
        write.waiter.wait()
        defer { write.end() }
        let reply = try write.answer()
        let text = String(decoding: RequestScratch.current.reply.bytes, as: UTF8.self)
        return .json(reply.hasJSON ? text : "", isCreated: reply.isCreated)
    }
}

extension RequestBytes {
    /// The bytes of a text, as a request holds them.
    init(_ text: String) {
        let buffer = ByteBuffer(capacity: 64)
        buffer.append(Array(text.utf8))
        buffer.append([UInt8](repeating: 0, count: JSONParser.paddingByteCount))
        self.init(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<text.utf8.count]), of: buffer)
    }
}

extension ObjectAddress {
    /// The object of a class under the text of its key.
    init(_ className: String, _ key: String) {
        let name = RequestBytes(className)
        let text = RequestBytes(key)
        self.init(name.bytes, .text(text.bytes), of: Held([name, text]))
    }

    /// Holds what an address points into.
    private final class Held {
        private let bytes: [RequestBytes]
        init(_ bytes: [RequestBytes]) { self.bytes = bytes }
    }
}
