import HoldfastObjectModel
import HoldfastTestSupport

extension RandomContent {
    /// What a property of type `mixed`, or a collection of such values, is stated to hold.
    func mixed(
        _ property: Property, _ count: Int, _ known: [Identity], _ random: inout SeededGenerator
    ) -> Content {
        var targets = known
        if canDangle, Int.random(in: 0..<6, using: &random) == 0 {
            for target in classes where target.kind == .object {
                guard let key = target.properties.first(where: { $0.name == target.primaryKey })
                else { continue }
                targets.append(Identity(target.name, Self.primaryKey(key, &random)))
            }
        }
        switch property.type {
        case .list, .set:
            return .values((0..<count).map { _ in Self.mixed(targets, depth: 2, &random) })
        case .map:
            return entries(count, &random) { .value(Self.mixed(targets, depth: 2, &$0)) }
        case .single, .linkingObjects: return .value(Self.mixed(targets, depth: 3, &random))
        }
    }

    /// A `mixed` value; its numbers are such as a double holds exactly.
    ///
    /// - `known`: What its links may lead to.
    /// - `depth`: How deep lists and maps may nest in it.
    static func mixed(
        _ known: [Identity], depth: Int, _ random: inout SeededGenerator
    ) -> Value {
        let half = Int.random(in: -4...4, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return .null
        case 1: return .int(Int64(half))
        case 2: return .double(half == 0 ? 0 : Double(half) / 2)
        case 3: return .float(half == 0 ? 0 : Float(half) / 2)
        case 4: return .decimal(Decimal128("\(half * 5)E-1") ?? .nan)
        case 5: return .decimal(Decimal128(Int64(half)))
        case 6...8:
            guard !known.isEmpty else { return .null }
            return known[Int.random(in: known.indices, using: &random)].link
        case 9, 10:
            guard depth > 0 else { return .list([]) }
            return .list(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    mixed(known, depth: depth - 1, &random)
                })
        case 11, 12:
            guard depth > 0 else { return .map([]) }
            return .map(
                ["", "a", "b", "\u{e9}"].filter { _ in Bool.random(using: &random) }.map {
                    Value.MapEntry($0, mixed(known, depth: depth - 1, &random))
                })
        default:
            let kinds: [ScalarType] = [.bool, .string, .data, .date, .objectID, .uuid]
            return scalar(kinds[Int.random(in: kinds.indices, using: &random)], &random)
        }
    }
}

extension ScalarType {
    /// Every type but `mixed`, whose values are of all of these.
    package static let plainCases = allCases.filter { $0 != .mixed }
}
