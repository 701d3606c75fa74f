import HoldfastBytes
import HoldfastObjectStore

/// Seals the part of some changes in a cursor of somebody who may not read everything: it counts objects, and has the key of one, that
/// they may not see. Any thread.
struct ChangePartSeal {
    /// The numbers of a part.
    private static let byteCount = 32

    private let seal: Seal

    /// Nil when the library fails.
    ///
    /// - `storeKey`: A secret of the store.
    init?(storeKey: [UInt8]) {
        guard let seal = Seal("holdfast stream part 2", storeKey: storeKey) else { return nil }
        self.seal = seal
    }

    /// Seals a part: base64url without padding; nil when the library fails.
    ///
    /// - `context`: The rest of the cursor: it opens together with that alone.
    func text(of part: StreamCursor.ChangePart, in context: String) -> String? {
        let plain = ByteBuffer(capacity: Self.byteCount)
        plain.append(little: part.after)
        plain.append(little: part.through)
        plain.append(little: UInt64(part.knownCount))
        plain.append(little: part.reachedKey)
        return seal.text(of: plain.bytes, in: Array(context.utf8))
    }

    /// Opens a part; nil for what was not sealed so.
    func part(_ text: Substring, in context: String) -> StreamCursor.ChangePart? {
        var text = String(text)
        let plain = text.withUTF8 { seal.bytes(in: .init($0), with: Array(context.utf8)) }
        guard let plain, plain.count == Self.byteCount else { return nil }
        return plain.withUnsafeBytes { bytes in
            func number(_ position: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: 8 * position, as: UInt64.self)
            }
            return Int(exactly: number(2)).map {
                StreamCursor.ChangePart(
                    after: number(0), through: number(1), knownCount: $0, reachedKey: number(3))
            }
        }
    }
}
