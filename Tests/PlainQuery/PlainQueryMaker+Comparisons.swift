import HoldfastObjectModel
import HoldfastTestSupport

/// Random comparisons.
extension PlainQueryMaker {
    /// A comparison on objects of a class.
    mutating func comparison(_ className: String) -> PlainPredicate {
        if chance(4), let within = within(className) { return within }
        if chance(1) { return .constant(Bool.random(using: &random)) }
        for _ in 0..<30 {
            guard let path = path(className), let made = comparison(path, className),
                !made.ordersObjects
            else { continue }
            return made
        }
        return .constant(true)
    }

    private mutating func quantifier(_ path: PlainPath) -> PlainQuantifier? {
        world.isMany(path) && chance(60) ? pick(PlainQuantifier.allCases) : nil
    }

    private mutating func comparison(_ path: PlainPath, _ className: String) -> PlainPredicate? {
        let side = PlainSide.path(path, quantifier(path))
        switch path.type {
        case .embedded:
            guard !world.isMany(path) else { return nil }
            return .comparison(
                side, PlainOperator(name: pick([.equal, .notEqual])), .constant(.null))
        case .link(let target): return comparison(side, path, linkTo: target, className)
        case .kinds: return comparison(side, ofKinds: path, className)
        case .scalar(let scalar):
            if path.type.isNumeric || scalar == .mixed, chance(15),
                let made = calculation(path, className)
            {
                return made
            }
            return comparison(side, path, scalar, className)
        }
    }

    // MARK: Links and kinds

    private mutating func object(_ target: String) -> PlainConstant {
        let keys = world.all(target)
        guard let found = keys.randomElement(using: &random), chance(85) else {
            let type = world.classes[target]?.properties.first
            let isKeyed = world.classes[target]?.primaryKey != nil
            let key = isKeyed ? PlainDomain.value(type?.scalar ?? .int, &random) : .int(99_999)
            return PlainConstant(kind: .object(target, key), isArgument: chance(50))
        }
        var key = Value.int(Int64(bitPattern: found.key))
        if let name = world.classes[target]?.primaryKey,
            case .value(let value)? = found.content[name]
        {
            key = value
        }
        return PlainConstant(kind: .object(target, key), isArgument: chance(50))
    }

    private mutating func comparison(
        _ side: PlainSide, _ path: PlainPath, linkTo target: String, _ className: String
    ) -> PlainPredicate? {
        let relation = PlainOperator(name: pick([.equal, .equal, .notEqual]))
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !world.isMany(path) || (side.quantifier != nil && world.endsInMap(path)):
            return .comparison(side, relation, .constant(.null))
        case 1:
            let list = (0..<pick([0, 1, 2, 3])).map { _ in chance(15) ? .null : object(target) }
            return .comparison(
                side, PlainOperator(name: .isIn),
                .list(list, nil, isArgument: chance(30)))
        case 2:
            guard let other = path2(className, { $0 == .link(target) || $0 == .scalar(.mixed) })
            else { return nil }
            return pair(side, path, relation, other)
        default:
            let constant = PlainSide.constant(object(target))
            return chance(15)
                ? .comparison(constant, relation, side) : .comparison(side, relation, constant)
        }
    }

    private mutating func comparison(
        _ side: PlainSide, ofKinds path: PlainPath, _ className: String
    ) -> PlainPredicate? {
        func name(_ text: String) -> PlainConstant {
            PlainConstant(kind: .value(.string(text)), isArgument: false)
        }
        let relation = PlainOperator(name: pick([.equal, .equal, .notEqual]))
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let list = (0..<pick([1, 2])).map { _ in name(pick(PlainKinds.all)) }
            return .comparison(
                side, PlainOperator(name: .isIn), .list(list, nil, isArgument: false))
        case 1:
            guard let other = path2(className, { $0 == .kinds }) else { return nil }
            return pair(side, path, relation, other)
        case 2:
            guard let type = declaredType(className) else { return nil }
            return chance(50)
                ? .comparison(.constant(type), relation, side)
                : .comparison(side, relation, .constant(type))
        default: return .comparison(side, relation, .constant(name(pick(PlainKinds.all))))
        }
    }

    /// The declared type of a property of a class.
    private mutating func declaredType(_ className: String) -> PlainConstant? {
        let kinds: [ScalarType: String] = [
            .bool: "bool", .int: "int", .float: "float", .double: "double", .decimal128: "decimal",
            .string: "string", .data: "data", .date: "date", .objectID: "objectid", .uuid: "uuid",
        ]
        let properties = world.classes[className]?.properties ?? []
        guard let property = properties.randomElement(using: &random),
            let kind = property.scalar.flatMap({ kinds[$0.widened] })
        else { return nil }
        return PlainConstant(kind: .type(of: property.name, kind), isArgument: false)
    }

    /// A path of a type that fits.
    private mutating func path2(
        _ className: String, _ fits: (PlainType) -> Bool
    ) -> PlainPath? {
        for _ in 0..<25 {
            if let path = path(className), fits(path.type) { return path }
        }
        return nil
    }

    /// Two paths beside each other.
    private mutating func pair(
        _ side: PlainSide, _ path: PlainPath, _ relation: PlainOperator, _ other: PlainPath
    ) -> PlainPredicate? {
        var quantifier = quantifier(other)
        if side.quantifier == nil, path.isPrimitiveCollection, other.isPrimitiveCollection {
            quantifier = quantifier ?? .all
        }
        if relation.name == .isIn, !world.isMany(other) { return nil }
        return .comparison(side, relation, .path(other, quantifier))
    }

    // MARK: Scalars

    /// A constant to compare a type with.
    ///
    /// - `isAlone`: Whether it is no element of a list, in which more is allowed.
    private mutating func constant(_ type: ScalarType, isAlone: Bool) -> PlainConstant {
        let isArgument = chance(40)
        if chance(8) { return PlainConstant(kind: .value(.null), isArgument: isArgument) }
        if PlainType.scalar(type).isNumeric {
            if chance(6) {
                return PlainConstant(
                    kind: .value(.string(pick(["1", "2", "3"]))), isArgument: isArgument)
            }
            let number = PlainDomain.value(
                chance(60) ? type : pick([.int, .float, .double, .decimal128]), &random)
            if isAlone, type == .int, !Self.isFinite(number) {
                return PlainConstant(kind: .value(.int(1)), isArgument: isArgument)
            }
            let isInt = number.scalarType == .int && type == .int
            return PlainConstant(
                kind: .value(number), isArgument: isArgument, isPlainText: isInt && chance(20))
        }
        if !isAlone, chance(5) {
            return PlainConstant(kind: .value(.bool(true)), isArgument: isArgument)
        }
        if type == .mixed, chance(10),
            let target = PlainSchema.objectNames.randomElement(using: &random)
        {
            return object(target)
        }
        return PlainConstant(
            kind: .value(PlainDomain.value(type, &random)), isArgument: isArgument,
            isPlainText: type != .mixed && chance(30))
    }

    private static func isFinite(_ value: Value) -> Bool {
        switch value {
        case .double(let number): number.isFinite
        case .float(let number): number.isFinite
        default: true
        }
    }

    private mutating func comparison(
        _ side: PlainSide, _ path: PlainPath, _ type: ScalarType, _ className: String
    ) -> PlainPredicate? {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...3:
            let list = (0..<pick([0, 1, 2, 2, 3])).map { _ in constant(type, isAlone: false) }
            let quantifier = chance(40) ? pick(PlainQuantifier.allCases) : nil
            let constants = PlainSide.list(list, quantifier, isArgument: chance(30))
            if chance(20) {
                // A single path has no list that something could be in.
                let relation = PlainOperator(
                    name: world.isMany(path) && chance(30) ? .isIn : pick(PlainOperator.ordered))
                return .comparison(constants, relation, side)
            }
            let relation = PlainOperator(name: chance(60) ? .isIn : pick(PlainOperator.ordered))
            return .comparison(side, relation, constants)
        case 4, 5:
            let wanted = PlainType.scalar(type)
            guard
                let other = path2(
                    className,
                    {
                        $0 == wanted || ($0.isNumeric && wanted.isNumeric)
                            || $0 == .scalar(.mixed)
                    })
            else { return nil }
            var relation = PlainOperator(name: pick(PlainOperator.ordered + [.isIn]))
            let isText = type == .string && other.type == .scalar(.string)
            if isText, chance(40) { relation = textual() }
            return pair(side, path, relation, other)
        case 6 where path.type.isNumeric || [.date, .string, .mixed].contains(type):
            var own = side
            if world.isMany(path) { own = .path(path, .all) }
            return .between(
                own, constant(type, isAlone: true), constant(type, isAlone: true),
                isArgument: chance(20))
        case 7...13 where type == .string || type == .mixed:
            return textComparison(side, type)
        case 7...10 where type == .data:
            return .comparison(
                side, PlainOperator(name: pick([.beginsWith, .endsWith, .contains])),
                .constant(constant(.data, isAlone: true)))
        default:
            let relation = PlainOperator(name: pick(PlainOperator.ordered))
            let constant = PlainSide.constant(constant(type, isAlone: true))
            return chance(12)
                ? .comparison(constant, relation, side) : .comparison(side, relation, constant)
        }
    }

    // MARK: Texts

    private mutating func textual() -> PlainOperator {
        PlainOperator(
            name: pick([.equal, .notEqual] + PlainOperator.textual), ignoresCase: chance(40),
            ignoresAccents: chance(25))
    }

    private mutating func textComparison(_ side: PlainSide, _ type: ScalarType) -> PlainPredicate {
        func text(_ text: String) -> PlainSide {
            .constant(PlainConstant(kind: .value(.string(text)), isArgument: chance(30)))
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            return .comparison(
                side,
                PlainOperator(
                    name: .matches, ignoresCase: chance(30), ignoresAccents: chance(20)),
                text(pick(["a.*", ".*b", "[abé]+", "a", ".", "[ab]*c", "é+", "A.*", ".*"])))
        case 2...4 where type == .string:
            return .comparison(
                side, PlainOperator(name: .text),
                text(
                    pick([
                        "a", "lake", "lake mount", "-a", "a* -b", "é", "moun*", "-lake", "zz",
                        "l* -k",
                        "E a",
                    ])))
        case 5:
            let relation = PlainOperator(
                name: .like, ignoresCase: chance(40), ignoresAccents: chance(25))
            return .comparison(
                side, relation,
                text(pick(["a*", "*b", "?", "a?", "*", "", "*É*", "??*", "A*b", "x*", "*a b"])))
        case 6, 7:
            let list = (0..<pick([0, 1, 2, 3])).map { _ in
                PlainConstant(
                    kind: .value(.string(pick(PlainDomain.strings))), isArgument: chance(30))
            }
            var relation = PlainOperator(
                name: .isIn, ignoresCase: chance(60), ignoresAccents: chance(30))
            if chance(40) { relation = textual() }
            let quantifier = chance(40) ? pick(PlainQuantifier.allCases) : nil
            return .comparison(side, relation, .list(list, quantifier, isArgument: chance(20)))
        default:
            let constant =
                chance(10) ? PlainSide.constant(.null) : text(pick(PlainDomain.strings))
            let relation = textual()
            if chance(10), type == .string { return .comparison(constant, relation, side) }
            return .comparison(side, relation, constant)
        }
    }

    // MARK: Arithmetic

    private mutating func calculation(
        _ path: PlainPath, _ className: String
    ) -> PlainPredicate? {
        var side = PlainSide.path(path, quantifier(path))
        var isMany = world.isMany(path)
        for _ in 0..<pick([1, 1, 2]) {
            var operand = PlainSide.constant(number())
            if chance(30), let other = path2(className, { $0.isNumeric || $0 == .scalar(.mixed) }),
                !isMany || !world.isMany(other)
            {
                operand = .path(other, nil)
                isMany = isMany || world.isMany(other)
            } else if !isMany, chance(8) {
                operand = .list(
                    (0..<pick([0, 1, 2])).map { _ in number() }, nil, isArgument: chance(30))
                isMany = true
            }
            let sign = pick(PlainArithmetic.signs)
            side =
                chance(70)
                ? .operation(side, sign, operand) : .operation(operand, sign, side)
        }
        let relation = PlainOperator(name: pick(PlainOperator.ordered))
        if isMany, side.quantifier == nil, chance(20) {
            let list = (0..<pick([1, 2])).map { _ in number() }
            return .comparison(side, relation, .list(list, nil, isArgument: false))
        }
        guard case .scalar(let type)? = side.type else { return nil }
        if chance(25), let other = path2(className, { $0.isNumeric || $0 == .scalar(.mixed) }) {
            let right = PlainSide.path(other, quantifier(other))
            return .comparison(
                side, relation,
                chance(50)
                    ? right : .operation(right, pick(PlainArithmetic.signs), .constant(number())))
        }
        return .comparison(
            side, relation, .constant(constant(type == .mixed ? .decimal128 : type, isAlone: true)))
    }

    private mutating func number() -> PlainConstant {
        if chance(4) { return .null }
        let value = PlainDomain.value(pick([.int, .int, .double, .float, .decimal128]), &random)
        return PlainConstant(kind: .value(value), isArgument: chance(30))
    }

    // MARK: Places

    private mutating func within(_ className: String) -> PlainPredicate? {
        var hops: [PlainPath.Hop] = []
        var present = className
        for _ in 0..<pick([0, 0, 1, 1, 2]) {
            guard let hop = hop(present), let next = world.target(of: hop, from: present),
                next != "P"
            else { break }
            hops.append(hop)
            present = next
        }
        guard let definition = world.classes[present] else { return nil }
        let names = definition.properties.filter { $0.type.element == .object("P") }
        guard let property = names.randomElement(using: &random) else { return nil }
        var quantifier: PlainQuantifier?
        if case .list = property.type {
            hops.append(.many(property.name, form: ""))
        } else {
            hops.append(.one(property.name))
        }
        if hops.contains(where: \.isMany), chance(60) {
            quantifier = pick(PlainQuantifier.allCases)
        }
        let x = Double(Int.random(in: -4...2, using: &random)) * 10 + 5
        let y = Double(Int.random(in: -4...2, using: &random)) * 10 + 5
        let region: PlainRegion
        if chance(50) {
            let width = Double(pick([10, 20]))
            region = .box(x, y, x + width, y + width)
        } else {
            region = .circle(x, y, radius(x, y))
        }
        return .within(className, hops, quantifier, region)
    }

    /// A radius at which no point of the tests lies.
    private mutating func radius(_ x: Double, _ y: Double) -> Double {
        let wanted = Double.random(in: 0.1...0.7, using: &random)
        var distances: [Double] = [0, 4]
        for longitude in -3...3 {
            for latitude in -3...3 {
                distances.append(
                    PlainRegion.distance(x, y, Double(longitude) * 10, Double(latitude) * 10))
            }
        }
        distances.sort()
        let place = distances.firstIndex { $0 > wanted } ?? 1
        return (distances[place - 1] + distances[place]) / 2
    }
}
