import Foundation
import HoldfastObjectModel
import Synchronization

/// A 12-byte identifier, ordered by its bytes: four bytes of time, five of the process, three of a counter.
public struct ObjectId: Hashable, Comparable, Sendable {
    let core: ObjectID

    init(_ core: ObjectID) { self.core = core }

    /// An identifier of zeros; ``generate()`` makes a fresh one.
    public init() { core = ObjectID(high: 0, low: 0) }

    /// Reads 24 hexadecimal digits.
    ///
    /// - Throws: ``InvalidValueText``.
    public init(string: String) throws {
        guard let core = ObjectID(text: string) else {
            throw InvalidValueText("Invalid Object ID string '\(string)': must be 24 hex digits")
        }
        self.core = core
    }

    /// Reads a literal of 24 hexadecimal digits. Ends the process for any other text.
    public init(_ digits: StaticString) {
        guard let core = ObjectID(text: digits.description) else {
            Misuse.end("Invalid Object ID string '\(digits)': must be 24 hex digits")
        }
        self.core = core
    }

    private static let counter = Atomic<UInt32>(UInt32.random(in: 0..<1 << 24))

    /// An identifier from a time, a machine and a process. The last three bytes come from a counter.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        // A timestamp that is NaN or beyond the range of integers becomes 1970.
        let whole = Int64(exactly: timestamp.timeIntervalSince1970.rounded(.towardZero)) ?? 0
        let seconds = UInt64(UInt32(truncatingIfNeeded: whole))
        let machine = UInt64(truncatingIfNeeded: machineId) & 0xFF_FFFF
        let process = UInt64(truncatingIfNeeded: processId) & 0xFFFF
        let count = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue & 0xFF_FFFF
        core = ObjectID(
            high: seconds << 32 | machine << 8 | process >> 8,
            low: UInt32(truncatingIfNeeded: process & 0xFF) << 24 | count)
    }

    /// Makes a fresh identifier. Identifiers grow within a process, across all threads.
    public static func generate() -> ObjectId { ObjectId(ObjectID.generate()) }

    /// The time of its first four bytes.
    public var timestamp: Date { Date(timeIntervalSince1970: Double(core.high >> 32)) }

    /// The digits.
    public var stringValue: String { core.description }

    /// The order of the bytes.
    public static func < (a: ObjectId, b: ObjectId) -> Bool { a.core < b.core }
}

extension ObjectID {
    /// Reads 24 hexadecimal digits; nil for another text.
    fileprivate init?(text: String) {
        var text = text
        guard let read = text.withUTF8({ ObjectID(text: UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = read
    }
}

extension ObjectId: CustomStringConvertible, Codable {
    /// The digits.
    public var description: String { core.description }

    /// Reads the digits; other text is a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do { try self.init(string: try container.decode(String.self)) } catch let fault
            as InvalidValueText
        {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: fault.description)
        }
    }

    /// Writes the digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

extension ObjectId: _Scalar, _PrimaryKey {
    /// The type in the schema.
    public static var _element: ElementShape { ElementShape(.scalar(.objectID)) }
    /// Makes a value from the stored value.
    public static func _make(_ stored: StoredElement) -> ObjectId {
        ObjectId(stored.start.storedObjectID)
    }
    /// The stored form of the value.
    public var _stored: PlainValue { PlainValue(.objectID(core)) }
    /// The value of a property without a default.
    public static func _unset() -> ObjectId { generate() }
}

/// A text that is not of the form that its type has.
public struct InvalidValueText: Error, CustomStringConvertible, LocalizedError, Hashable, Sendable {
    /// A sentence that names the text.
    public let description: String
    /// The same text as ``description``.
    public var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
