import HoldfastObjectModel

/// One side of a comparison.
indirect enum PlainSide {
    case constant(PlainConstant)
    /// Several constants, each for itself or as one argument.
    case list([PlainConstant], PlainQuantifier?, isArgument: Bool)
    case path(PlainPath, PlainQuantifier?)
    case operation(PlainSide, String, PlainSide)

    var quantifier: PlainQuantifier? {
        switch self {
        case .constant: nil
        case .list(_, let quantifier, _), .path(_, let quantifier): quantifier
        case .operation(let left, _, let right): left.quantifier ?? right.quantifier
        }
    }

    /// The type of its values; nil for constants.
    var type: PlainType? {
        switch self {
        case .constant, .list: return nil
        case .path(let path, _): return path.type
        case .operation(let left, _, let right):
            let widths = [left, right].flatMap(\.widths)
            return .scalar(Self.types[widths.max() ?? 0])
        }
    }

    private static let types: [ScalarType] = [.int, .float, .double, .decimal128, .mixed]

    /// How wide the numbers are that it may give.
    private var widths: [Int] {
        func width(_ constant: PlainConstant) -> [Int] {
            guard case .value(let value) = constant.kind else { return [] }
            return PlainArithmetic.width(value).map { [$0] } ?? []
        }
        switch self {
        case .constant(let constant): return width(constant)
        case .list(let constants, _, _): return constants.flatMap(width)
        case .path, .operation:
            guard case .scalar(let scalar)? = type else { return [] }
            return Self.types.firstIndex(of: scalar).map { [$0] } ?? []
        }
    }

    /// Whether its values stand in the query.
    var isConstant: Bool {
        switch self {
        case .constant, .list: true
        case .path, .operation: false
        }
    }

    /// Whether its values are `mixed` ones.
    var isMixed: Bool {
        if case .path(let path, _) = self { path.type == .scalar(.mixed) } else { false }
    }
}

extension PlainWorld {
    /// The values of a side for an object.
    ///
    /// - `other`: The type of the other side.
    func read(_ side: PlainSide, beside other: PlainType?, for object: PlainObject) -> PlainReach {
        let type = other ?? .scalar(.mixed)
        switch side {
        case .constant(let constant): return .one(value(constant, beside: type))
        case .list(let constants, _, _): return .many(constants.map { value($0, beside: type) })
        case .path(let path, _): return read(path, from: object)
        case .operation(let left, let sign, let right):
            let a = read(left, beside: right.type, for: object)
            let b = read(right, beside: left.type, for: object)
            func single(_ reach: PlainReach) -> Value { reach.groups.first?.first ?? .null }
            if b.isMany {
                let x = single(a)
                return PlainReach(
                    isMany: true,
                    groups: b.groups.map { $0.map { PlainArithmetic.result(x, sign, $0) } })
            }
            let y = single(b)
            return PlainReach(
                isMany: a.isMany,
                groups: a.groups.map { $0.map { PlainArithmetic.result($0, sign, y) } })
        }
    }
}
