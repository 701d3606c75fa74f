/// The rules for keys of maps: strings without `.` and `$`.
package enum MapKey {
    /// A fault of a key.
    package enum Fault {
        /// It has more bytes than ``ModelLimits/keyByteCountMax``.
        case tooLong
        /// It has this character, which has to be percent-encoded.
        case character(Character)
    }

    /// Finds the fault of a key; nil when it has none.
    package static func fault(of key: String) -> Fault? {
        var key = key
        return key.withUTF8 { fault(of: UnsafeRawBufferPointer($0)) }
    }

    /// Finds the fault of a key's UTF-8; nil when it has none.
    package static func fault(of key: UnsafeRawBufferPointer) -> Fault? {
        for byte in key {
            if byte == UInt8(ascii: ".") { return .character(".") }
            if byte == UInt8(ascii: "$") { return .character("$") }
        }
        return key.count > ModelLimits.keyByteCountMax ? .tooLong : nil
    }
}
