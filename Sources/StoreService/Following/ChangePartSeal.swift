import CHoldfastSodium
import HoldfastBytes
import HoldfastObjectStore

/// Seals the part of some changes in a cursor of somebody who may not read everything: it counts objects, and has the key of one, that
/// they may not see. Any thread.
struct ChangePartSeal {
    private static let form: StaticString = "holdfast stream part 2"
    /// The numbers of a part.
    private static let byteCount = 32

    private let key: [UInt8]

    /// Nil when the library fails.
    ///
    /// - `storeKey`: A secret of the store.
    init?(storeKey: [UInt8]) {
        let message = ByteBuffer(capacity: 32)
        message.append(Self.form)
        guard let key = message.authenticationCode(under: storeKey) else { return nil }
        self.key = key
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
        var sealed = [UInt8](repeating: 0, count: Self.byteCount + Int(shim_seal_count))
        let context = Array(context.utf8)
        guard
            shim_seal(
                &sealed, plain.bytes.baseAddress, plain.count, context, context.count, key) == 0
        else { return nil }
        let text = ByteBuffer(capacity: 96)
        sealed.withUnsafeBytes { Base64.encode($0, alphabet: .url, into: text) }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Opens a part; nil for what was not sealed so.
    func part(_ text: Substring, in context: String) -> StreamCursor.ChangePart? {
        let sealed = ByteBuffer(capacity: 96)
        var text = String(text)
        guard text.withUTF8({ Base64.decode(.init($0), alphabet: .url, into: sealed) }),
            sealed.count == Self.byteCount + Int(shim_seal_count)
        else { return nil }
        var plain = [UInt8](repeating: 0, count: Self.byteCount)
        let context = Array(context.utf8)
        guard
            shim_open(
                &plain, sealed.array, sealed.count, context, context.count, key) == 0
        else { return nil }
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
