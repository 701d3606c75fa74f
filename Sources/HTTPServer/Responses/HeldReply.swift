/// The bytes of a reply that count as memory until libmicrohttpd has sent them.
final class HeldReply {
    private let bytes: Bytes
    private let memory: MessageMemory

    init(_ bytes: Bytes, in memory: MessageMemory) {
        self.bytes = bytes
        self.memory = memory
        memory.replace(0, with: bytes.count)
    }

    deinit { memory.replace(bytes.count, with: 0) }
}
