import HoldfastObjectModel
import HoldfastTestSupport

/// Random queries that the language has to refuse.
extension PlainQueryMaker {
    /// Types of which no two are compared, each with a constant of it.
    private static let constants: [(types: [ScalarType], value: Value)] = [
        ([.int, .float, .double, .decimal128], .int(1)), ([.bool], .bool(true)),
        ([.string], .string("a")), ([.data], .data([97])),
        ([.date], .date(Timestamp(seconds: 0, nanoseconds: 0))),
        ([.objectID], .objectID(ObjectID(high: 0, low: 0))),
        ([.uuid], .uuid(UUID128(high: 0, low: 0))),
    ]

    /// A query with a fault; nil where the path that was drawn has none to offer.
    mutating func makeFaulty() -> PlainQuery? {
        let className = pick(PlainSchema.objectNames)
        guard let path = path(className), let predicate = fault(path) else { return nil }
        return PlainQuery(className: className, predicate: predicate)
    }

    private mutating func fault(_ path: PlainPath) -> PlainPredicate? {
        let equal = PlainOperator(name: .equal)
        let side = PlainSide.path(path, nil)
        switch path.type {
        case .link(let target):
            if world.isMany(path) { return .comparison(side, equal, .constant(.null)) }
            return ordered(side, target)
        case .scalar(.mixed): return ordered(side, "A")
        case .embedded, .kinds: return nil
        case .scalar(let type): return fault(path, of: type)
        }
    }

    /// A comparison that asks for an order of objects.
    private func ordered(_ side: PlainSide, _ target: String) -> PlainPredicate {
        let object = PlainConstant(kind: .object(target, .int(1)), isArgument: true)
        return .comparison(side, PlainOperator(name: .less), .constant(object))
    }

    private mutating func fault(_ path: PlainPath, of type: ScalarType) -> PlainPredicate? {
        let side = PlainSide.path(path, nil)
        let equal = PlainOperator(name: .equal)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !world.isMany(path):
            return .comparison(
                .path(path, pick(PlainQuantifier.allCases)), equal, .constant(.null))
        case 1 where !world.isMany(path):
            return .comparison(side, PlainOperator(name: .isIn), side)
        case 2 where type != .string && type != .data:
            let text = PlainConstant(kind: .value(.string("1")), isArgument: false)
            return .comparison(side, PlainOperator(name: .like), .constant(text))
        // Lists are compared in order with constants and with what they are not stored as.
        case 3 where path.isPrimitiveCollection: return .comparison(side, equal, side)
        case 4 where world.isMany(path):
            let quantifier = pick([nil, .any, .some, PlainQuantifier.none] as [PlainQuantifier?])
            return .between(.path(path, quantifier), .null, .null, isArgument: false)
        default:
            let others = Self.constants.filter { !$0.types.contains(type) }
            var value = pick(others).value
            // A text that reads as a number is one beside a number.
            if PlainType.scalar(type).isNumeric, value == .string("a") { value = .bool(true) }
            return .comparison(
                side, equal, .constant(PlainConstant(kind: .value(value), isArgument: chance(50))))
        }
    }
}
