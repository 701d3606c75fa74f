import HoldfastBytes
import HoldfastStorage

extension Overlay {
    /// A key and the overlay's entry for it, in 40 bytes.
    struct Slot {
        private static let removal = UInt32.max
        private static let nothing = UInt32.max - 1

        /// The beginning of the key.
        let prefix: KeyPrefix
        private let keyStart: UnsafeRawPointer?
        private var valueStart: UnsafeRawPointer?
        private let keyByteCount: UInt32
        /// The bytes of the value, or a marker instead.
        private var valueByteCount: UInt32

        /// Both point to bytes that stay where they are; `prefix` is the key's.
        init(_ key: UnsafeRawBufferPointer, _ prefix: KeyPrefix, _ entry: Entry) {
            self.prefix = prefix
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

        /// The order of its key and another key: below, equal to or above zero.
        @inline(__always)
        func compare(with other: UnsafeRawBufferPointer, _ otherPrefix: KeyPrefix) -> Int {
            if prefix.high != otherPrefix.high { return prefix.high < otherPrefix.high ? -1 : 1 }
            if prefix.low != otherPrefix.low { return prefix.low < otherPrefix.low ? -1 : 1 }
            return compareKeys(key, other)
        }

        /// Whether its key comes before another's.
        @inline(__always)
        func isBelow(_ other: Slot) -> Bool { compare(with: other.key, other.prefix) < 0 }

        /// The change that is passed to an engine; nil if the slot has no entry.
        var change: StorageBatch.Change? {
            switch entry {
            case .none: nil
            case .removed: StorageBatch.Change(key: key, value: nil)
            case .value(let value): StorageBatch.Change(key: key, value: value)
            }
        }

        /// The overlay's entry of the key.
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
