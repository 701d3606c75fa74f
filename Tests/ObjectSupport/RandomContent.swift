import HoldfastObjectModel
import HoldfastTestSupport

/// Makes random values and drafts that fit a schema.
package struct RandomContent {
    /// The classes.
    package var classes: [ObjectClass]
    /// Whether links may name objects that do not exist.
    package var canDangle = false

    /// Makes a source of drafts.
    package init(_ classes: [ObjectClass]) { self.classes = classes }

    /// A class by name.
    package func objectClass(_ name: String) -> ObjectClass? {
        classes.first { $0.name == name }
    }

    /// A scalar of a type; never NaN or −0, nor a decimal that ends with zeros, which do not compare as
    /// plain values do.
    package static func scalar(_ type: ScalarType, _ random: inout SeededGenerator) -> Value {
        let isPlain = Int.random(in: 0..<3, using: &random) > 0
        switch type {
        case .bool: return .bool(Bool.random(using: &random))
        case .int, .int8, .int16, .int32, .int64:
            let range = isPlain ? -3...3 : type.integerRange ?? -3...3
            return .int(Int64.random(in: range, using: &random))
        case .double:
            if isPlain { return .double(Double(Int.random(in: -2...2, using: &random))) }
            let any = Double(bitPattern: random.next())
            return .double(any.isNaN || any == 0 ? .infinity : any)
        case .float:
            if isPlain { return .float(Float(Int.random(in: -2...2, using: &random))) }
            let any = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            return .float(any.isNaN || any == 0 ? -.infinity : any)
        case .decimal128:
            if isPlain { return .decimal(Decimal128(Int64.random(in: -2...2, using: &random))) }
            let digits = Int64.random(in: -99_999...99_999, using: &random) * 10 + 1
            let exponent = Int.random(in: -40...40, using: &random)
            return .decimal(Decimal128("\(digits)E\(exponent)") ?? .nan)
        case .string: return .string(text(&random))
        case .data: return .data(Array(text(&random).utf8))
        case .date:
            let seconds = Int64.random(
                in: isPlain ? -2...2 : -62_135_596_800...253_402_300_799, using: &random)
            let nanoseconds = isPlain ? 0 : Int32.random(in: 0..<1_000_000_000, using: &random)
            return .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        case .objectID:
            let bits = isPlain ? random.next() % 4 : random.next()
            return .objectID(
                ObjectID(high: bits << 62 | bits, low: UInt32(truncatingIfNeeded: bits)))
        case .uuid:
            let bits = isPlain ? random.next() % 4 : random.next()
            return .uuid(UUID128(high: bits, low: bits &* 0x9E37_79B9))
        case .mixed: return mixed([], depth: 2, &random)
        }
    }

    /// Text that is often short, sometimes has NUL bytes, and sometimes is around the length at which
    /// keys are cut. Two of them are equal only if their bytes are.
    package static func text(_ random: inout SeededGenerator) -> String {
        let words = ["", "a", "b", "ab", "\0", "a\0", "a\0b", "é", "zz", "𝄞", "\u{1}"]
        let word = words[Int.random(in: 0..<words.count, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            return String(repeating: "x", count: Int.random(in: 396...402, using: &random)) + word
        case 1: return String(repeating: "long ", count: 90) + word
        default: return word
        }
    }

    /// A scalar of a type, of those of an enum, or, where that is allowed, null.
    package static func scalar(
        _ type: ScalarType, isOptional: Bool, cases: [Value]? = nil,
        _ random: inout SeededGenerator
    ) -> Value {
        if isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
        return cases?.randomElement(using: &random) ?? scalar(type, &random)
    }

    private static func scalar(
        _ type: ScalarType, _ property: Property, _ random: inout SeededGenerator
    ) -> Value {
        scalar(type, isOptional: property.isOptional, cases: property.cases, &random)
    }

    /// A primary key out of few, so that objects meet.
    package static func primaryKey(_ property: Property, _ random: inout SeededGenerator) -> Value {
        guard case .single(.scalar(let scalar)) = property.type else { return .null }
        if property.defaultValue == .next { return .int(Int64.random(in: -1...12, using: &random)) }
        let number = Int.random(in: property.isOptional ? -1..<6 : 0..<6, using: &random)
        if number < 0 { return .null }
        switch scalar {
        case .int: return .int([0, 1, -1, .max, .min, 7][number])
        case .string:
            let long = String(repeating: "k", count: 450)
            return .string(["", "a", "a\0", long, long + "1", "b"][number])
        case .objectID: return .objectID(ObjectID(high: UInt64(number), low: .max))
        default: return .uuid(UUID128(high: .max, low: UInt64(number)))
        }
    }

    /// A draft of an object. `share` is how likely each property is stated, in percent; `depth` how deep
    /// embedded and nested objects go on.
    package func draft(
        _ objectClass: ObjectClass, known: [Identity], share: Int = 70, depth: Int = 3,
        _ random: inout SeededGenerator
    ) -> ObjectContent {
        var content: ObjectContent = [:]
        let typeIndex = objectClass.pointMembers?.type
        for (index, property) in objectClass.properties.enumerated() {
            if index == typeIndex, property.cases == nil,
                Int.random(in: 0..<4, using: &random) > 0
            {
                content[property.name] = .value(.string("Point"))
            } else if property.name == objectClass.primaryKey {
                // The store numbers the object.
                if property.defaultValue == .next, Bool.random(using: &random) { continue }
                content[property.name] = .value(Self.primaryKey(property, &random))
            } else if Int.random(in: 0..<100, using: &random) < share {
                content[property.name] = draft(property, known, depth, &random)
            }
        }
        return content
    }

    func draft(
        _ property: Property, _ known: [Identity], _ depth: Int, _ random: inout SeededGenerator
    ) -> Content? {
        let count = [0, 1, 1, 2, 3, 5][Int.random(in: 0..<6, using: &random)]
        if property.scalar == .mixed { return mixed(property, count, known, &random) }
        switch property.type {
        case .linkingObjects: return nil
        case .single(.scalar(let scalar)):
            return .value(Self.scalar(scalar, property, &random))
        case .list(.scalar(let scalar)), .set(.scalar(let scalar)):
            return .values((0..<count).map { _ in Self.scalar(scalar, property, &random) })
        case .map(.scalar(let scalar)):
            return entries(count, &random) { .value(Self.scalar(scalar, property, &$0)) }
        case .map(.object(let name)):
            guard let target = objectClass(name) else { return nil }
            return entries(target.kind == .object ? count : min(count, 3), &random) { random in
                if Int.random(in: 0..<5, using: &random) == 0 { return .null }
                if target.kind == .object { return link(target, known, depth, &random) ?? .null }
                if depth == 0 { return .null }
                return .embedded(draft(target, known: known, share: 60, depth: depth - 1, &random))
            }
        case .single(.object(let name)):
            if Int.random(in: 0..<5, using: &random) == 0 { return .null }
            guard let target = objectClass(name) else { return nil }
            if target.kind == .object { return link(target, known, depth, &random) ?? .null }
            if depth == 0 { return .null }
            return .embedded(draft(target, known: known, share: 60, depth: depth - 1, &random))
        case .list(.object(let name)), .set(.object(let name)):
            guard let target = objectClass(name) else { return nil }
            if target.kind == .object {
                return .nestedList(
                    (0..<count).compactMap { _ in link(target, known, depth, &random) })
            }
            if depth == 0 { return .embeddedList([]) }
            return .embeddedList(
                (0..<min(count, 3)).map { _ in
                    draft(target, known: known, share: 60, depth: depth - 1, &random)
                })
        }
    }

    /// A map of some keys out of few, some of which go.
    func entries(
        _ count: Int, _ random: inout SeededGenerator,
        _ value: (inout SeededGenerator) -> Content
    ) -> Content {
        var entries: [String: Content] = [:]
        for _ in 0..<count {
            let key = Self.keys[Int.random(in: Self.keys.indices, using: &random)]
            entries[key] = Int.random(in: 0..<6, using: &random) == 0 ? .removed : value(&random)
        }
        return .entries(entries)
    }

    /// Keys of maps, some of which begin with others.
    static let keys = [
        "", "a", "ab", "b", "é", "zz", "\0", String(repeating: "k", count: 600),
    ]

    private func link(
        _ target: ObjectClass, _ known: [Identity], _ depth: Int, _ random: inout SeededGenerator
    ) -> Content? {
        if depth > 0, Int.random(in: 0..<8, using: &random) == 0 {
            return .nested(draft(target, known: known, share: 40, depth: depth - 1, &random))
        }
        if canDangle, Int.random(in: 0..<6, using: &random) == 0 {
            guard let primaryKey = target.properties.first(where: { $0.name == target.primaryKey })
            else { return .link(target.name, .int(Int64.random(in: 1...9, using: &random))) }
            return .link(target.name, Self.primaryKey(primaryKey, &random))
        }
        let candidates = known.filter { $0.className == target.name }
        guard !candidates.isEmpty else { return nil }
        return .value(candidates[Int.random(in: candidates.indices, using: &random)].link)
    }
}
