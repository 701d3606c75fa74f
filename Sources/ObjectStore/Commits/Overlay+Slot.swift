import Bytes

extension Overlay {
    /// A key and what the overlay says of it, in 40 bytes.
    struct Slot {
        private static let removal = UInt32.max
        private static let nothing = UInt32.max - 1

        /// The beginning of the key.
        let prefix: KeyPrefix
        private let keyStart: UnsafeRawPointer?
        private var valueStart: UnsafeRawPointer?
        private let keyByteCount: UInt32
        /// The bytes of the value, or what there is instead.
        private var valueByteCount: UInt32

        /// Both point to bytes that stay where they are.
        init(_ key: UnsafeRawBufferPointer, _ entry: Entry) {
            prefix = KeyPrefix(key)
            keyStart = key.baseAddress
            keyByteCount = UInt32(key.count)
            valueStart = nil
            valueByteCount = Self.nothing
            self.entry = entry
        }

        @inline(__always)
        var key: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: keyStart, count: Int(keyByteCount))
        }

        /// Whether its key comes before another's.
        @inline(__always)
        func isBelow(_ other: Slot) -> Bool {
            if prefix.high != other.prefix.high { return prefix.high < other.prefix.high }
            if prefix.low != other.prefix.low { return prefix.low < other.prefix.low }
            return compareKeys(key, other.key) < 0
        }

        /// What the overlay says of the key.
        var entry: Entry {
            @inline(__always) get {
                switch valueByteCount {
                case Self.removal: .removed
                case Self.nothing: .none
                default:
                    .value(UnsafeRawBufferPointer(start: valueStart, count: Int(valueByteCount)))
                }
            }
            set {
                switch newValue {
                case .none: valueByteCount = Self.nothing
                case .removed: valueByteCount = Self.removal
                case .value(let value):
                    precondition(value.count < Self.nothing)
                    valueStart = value.baseAddress
                    valueByteCount = UInt32(value.count)
                }
            }
        }
    }
}
