import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// Constants: literals, arguments and objects, and their adaptation to the type beside them.
extension Checker {
    /// Looks up one side of a comparison.
    ///
    /// - `wantsList`: Whether `IN` stands before it.
    func side(_ operand: Syntax.Operand, wantsList: Bool = false) throws(QueryError) -> Side {
        if let user = userPath(operand) { return try userSide(user, wantsList: wantsList) }
        switch operand {
        case .property(let range):
            if let own = ownValue(range) { return .values(.path(own, nil)) }
            let step = Syntax.Step(kind: .name(source.text(range)), start: range.lowerBound)
            return .values(.path(try path(Syntax.Path(steps: [step], range: range)), nil))
        case .path(let syntax):
            let resolver = try resolver(syntax)
            if let (kinds, start) = resolver.declaredKinds, syntax.quantifier == nil {
                return .kinds(kinds, start: start)
            }
            let path = try path(resolver, at: syntax.start)
            if let quantifier = syntax.quantifier, !path.isMany {
                throw source.fault(
                    .type, "The keypath following '\(quantifier.rawValue)' must contain a list",
                    at: syntax.start)
            }
            return .values(.path(path, syntax.quantifier))
        case .list(let constants, let quantifier, _):
            return .constants(try constants.map(item), quantifier, isList: true)
        case .quantifiedArgument(let constant, let quantifier):
            guard case .argument(let index) = constant.kind,
                case .list(let values) = try argument(index, at: constant.start).value
            else {
                throw source.fault(
                    .argument,
                    "ANY/ALL/NONE are only allowed on arguments which contain a list but "
                        + "'\(source.text(constant.range))' is not a list.", at: constant.start)
            }
            return .constants(try items(values, index, constant), quantifier, isList: true)
        case .constant(let constant):
            if case .argument(let index) = constant.kind,
                case .list(let values) = try argument(index, at: constant.start).value
            {
                return .constants(try items(values, index, constant), nil, isList: true)
            }
            return .constants([try item(constant)], nil, isList: false)
        case .operation(let operation): return try arithmetic(operation)
        case .subquery(let subquery): return .values(.path(try self.subquery(subquery), nil))
        }
    }

    private func items(
        _ values: [Value], _ index: Int, _ constant: Syntax.Constant
    ) throws(QueryError) -> [Item] {
        // The text may name a long list as often as it likes.
        guard work.keep(valueCount: values.count) else { throw source.givenUp() }
        return try values.map { (value) throws(QueryError) in
            guard work.budget.spend() else { throw source.givenUp() }
            return try item(value, index, constant, refusal: "is a list that contains a list.")
        }
    }

    /// Returns a value that came as an argument, or within one.
    private func item(
        _ value: Value, _ index: Int, _ constant: Syntax.Constant, refusal: String
    ) throws(QueryError) -> Item {
        var value = value
        switch value {
        case .list:
            throw source.fault(
                .argument, "Argument $\(index) \(refusal)", at: constant.start, argument: index)
        case .map:
            throw source.fault(
                .argument, "Argument $\(index) is a map; maps can't be compared.",
                at: constant.start, argument: index)
        case .link(let className, let key):
            let start = constant.start
            let item = Item(value: key, argument: index, isPlainText: true, range: start..<start)
            value = try link(className, item, at: start, argument: index)
        default: break
        }
        return Item(
            value: value, argument: index, isPlainText: arguments[index].isPlainText,
            isWholeNumber: arguments[index].hasLargeIntegers, range: constant.range)
    }

    func argument(_ index: Int, at start: Int) throws(QueryError) -> QueryArgument {
        guard rule == nil else {
            throw source.fault(
                .argument,
                "A rule has no arguments: state the value, or name a value of the user.",
                at: start, hint: "$user.id")
        }
        guard index < arguments.count else {
            let given =
                switch arguments.count {
                case 0: "no arguments are provided"
                case 1: "only 1 argument is provided"
                default: "only \(arguments.count) arguments are provided"
                }
            throw source.fault(
                .argument, "Request for argument at index \(index) but \(given)", at: start,
                argument: index)
        }
        return arguments[index]
    }

    private func item(_ constant: Syntax.Constant) throws(QueryError) -> Item {
        var item = Item(value: .null, range: constant.range)
        switch constant.kind {
        case .value(let value):
            item.value = value
            // The decimals that a text has are whole numbers beyond 64 bits.
            if case .decimal = value { item.isWholeNumber = true }
        case .argument(let index):
            return try self.item(
                argument(index, at: constant.start).value, index, constant,
                refusal: "is a list; a single value is expected here.")
        case .binaryArgument(let index):
            item.argument = index
            switch try argument(index, at: constant.start).value {
            case .string(let text): item.value = .data(Array(text.utf8))
            case let value where value == .null || value.scalarType == .data: item.value = value
            case let value:
                throw source.fault(
                    .argument,
                    "Argument $\(index) in binary(...) has to be a string or data, not "
                        + "'\(Self.typeName(value))'.", at: constant.start, argument: index)
            }
        case .now(let seconds): item.value = .date(try time(plus: seconds, at: constant.start))
        case .object(let className, let classAt, let key):
            let keyItem = try self.item(key)
            item.value = try link(className, keyItem, at: constant.start, argument: nil)
            rule?.note(className, nil, at: classAt)
        }
        return item
    }

    private func time(plus seconds: Int64, at start: Int) throws(QueryError) -> Timestamp {
        guard let now else {
            throw source.fault(
                .type,
                "'now()' is the time of a request, and a stream lasts longer. State a date.",
                at: start)
        }
        let (sum, isTooLong) = now.seconds.addingReportingOverflow(seconds)
        guard !isTooLong, sum >= Timestamp.secondsMin, sum < Timestamp.secondsEnd else {
            throw source.fault(
                .limit, "The time is outside of the years that a date can have.", at: start)
        }
        return Timestamp(seconds: sum, nanoseconds: now.nanoseconds)
    }

    private func link(
        _ className: String, _ key: Item, at start: Int, argument: Int?
    ) throws(QueryError) -> Value {
        guard let target = schema.rowClass(named: className) else {
            throw source.fault(
                .unknownClass, "Unknown object type '\(className)'", at: start,
                argument: argument,
                hint: NearestName.of(className, among: schema.definition.classes.lazy.map(\.name)))
        }
        guard target.definition.kind == .object else {
            throw source.fault(
                .type, "'\(className)' is an embedded class; its objects have no keys.", at: start,
                argument: argument)
        }
        let type = keyType(.link(classIndex: target.index)) ?? .int
        guard let value = try adapted(key, to: .scalar(type), isStrict: true) else {
            throw source.fault(
                .type,
                "The primary key of '\(className)' has type '\(ValueType.scalar(type).name)', "
                    + "not '\(Self.typeName(key.value))'", at: key.start, argument: argument)
        }
        return .link(className: className, key: value)
    }

    /// Adapts a constant side to the type of the path beside it.
    ///
    /// - `path`: The other side as it is written.
    func adapted(
        _ side: Side, to type: ValueType, isRight: Bool, beside path: Syntax.Operand, at start: Int
    ) throws(QueryError) -> Operand {
        switch side {
        case .values(let operand): return operand
        case .constants(let items, let quantifier, isList: true):
            return .constants(
                try items.map { (item) throws(QueryError) in
                    try adapted(item, to: type, isStrict: false) ?? item.value
                }, quantifier)
        case .kinds(let kinds, let start):
            guard type == .kinds else { throw source.constantKinds(at: start) }
            return .constant(.int(kinds))
        case .constants(let items, _, isList: false):
            guard let item = items.first else { return .constant(.null) }
            if let value = try adapted(item, to: type, isStrict: true) { return .constant(value) }
            if case .link(let className, let key) = item.value, case .link(let index) = type {
                throw source.fault(
                    .type,
                    "The relationship '\(source.text(path.range))' which links to type "
                        + "'\(schema.classes[index].definition.name)' cannot be compared to an "
                        + "argument of type '\(className)' with primary key "
                        + "'\(Self.describe(key))'", at: item.start, argument: item.argument)
            }
            if case .scalar(.bool) = type, item.argument == nil,
                case .string(let text) = item.value, ["true", "false"].contains(text.lowercased())
            {
                var error = unsupportedComparison(
                    isRight ? type.name : "string", isRight ? "string" : type.name, at: start)
                error.message += "; true and false are written without quotes"
                error.hint = text.lowercased()
                throw error
            }
            if let argument = item.argument {
                throw source.fault(
                    .argument,
                    "Cannot compare argument $\(argument) with value "
                        + "'\(Self.describe(item.value))' to a \(type.name)" + form(type),
                    at: item.start, argument: argument)
            }
            let constant = Self.typeName(item.value)
            var error = unsupportedComparison(
                isRight ? type.name : constant, isRight ? constant : type.name, at: start)
            error.message += form(type)
            error.hint = literal(item, as: type)
            throw error
        }
    }

    /// Describes the spelling of a constant of a type, for the end of a message; empty for types that need no word.
    private func form(_ type: ValueType) -> String {
        switch type {
        case .scalar(.date): "; a date is written 2026-11-20T06:38:58Z"
        case .scalar(.objectID): "; an objectId is written as 24 hexadecimal digits in quotes"
        case .scalar(.uuid): "; a uuid is written as hexadecimal digits in quotes, 8-4-4-4-12"
        default: ""
        }
    }

    /// Returns the value in the form that a type compares with; nil without one. If strict,
    /// infinity and NaN beside an int are errors rather than values that match nothing.
    func adapted(_ item: Item, to type: ValueType, isStrict: Bool) throws(QueryError) -> Value? {
        if let origin = item.user { return try userValue(item, origin, as: type) }
        if case .scalar(let scalar) = type, item.value.scalarType == scalar { return item.value }
        switch (type, item.value) {
        case (.kinds, let value): return .int(try kinds(value, item))
        case (_, .null): return .null
        case (.scalar(.mixed), let value): return value
        case (.scalar(let scalar), .string(let text)) where type.isNumeric:
            return Self.number(text, scalar)
        case (.scalar(.decimal128), .double(let value)):
            // A literal counts with all the digits that it is written with.
            let literal = item.argument == nil ? source.text(item.range) : ""
            return .decimal(Decimal128(literal) ?? Decimal128(rounding: value, digitCount: 15))
        case (.scalar(.float), .double(let value)):
            // A number that no float comes near stays a double, which compares exactly.
            return Float(value).isInfinite && value.isFinite ? item.value : .float(Float(value))
        case (.scalar(let scalar), .float(let value)) where scalar.integerRange != nil:
            var wide = item
            wide.value = .double(Double(value))
            return try adapted(wide, to: type, isStrict: isStrict)
        case (.scalar(let scalar), .double(let value)) where scalar.integerRange != nil:
            if isStrict, !value.isFinite {
                throw source.fault(
                    .type, (value.isNaN ? "NaN" : "Infinity") + " not supported for int",
                    at: item.start, argument: item.argument)
            }
            return Int64(exactly: value).map { .int($0) } ?? item.value
        case (.scalar(.double), .int(let value)):
            return Double(exactly: value).map { .double($0) } ?? item.value
        case (.scalar(let scalar), .decimal(let value)) where type.isNumeric && item.isWholeNumber:
            return try largeInteger(value, item, scalar)
        case (.scalar, .int), (.scalar, .float), (.scalar, .double), (.scalar, .decimal):
            return type.isNumeric ? item.value : nil
        case (.scalar(.date), .string(let text)):
            return Self.read(text) { Timestamp(rfc3339: $0) }.map { .date($0) }
        case (.scalar(.uuid), .string(let text)):
            return Self.read(text) { UUID128(text: $0) }.map { .uuid($0) }
        case (.scalar(.objectID), .string(let text)):
            return Self.read(text) { ObjectID(text: $0) }.map { .objectID($0) }
        case (.scalar(.data), .string(let text)) where item.isPlainText:
            return Array(text.utf8).withUnsafeBytes { Base64.decodeEither($0) }.map { .data($0) }
        case (.scalar(let scalar), let value): return value.scalarType == scalar ? value : nil
        case (.link(let classIndex), .link(let className, _)):
            return classIndex >= 0
                && schema.classes[classIndex].definition.name.isSame(as: className)
                ? item.value : nil
        case (.link(let classIndex), _): return try linkByKey(item, classIndex)
        case (.embedded, _): return nil
        }
    }

    /// Returns the object with a primary key, which stands for it beside a link; nil where it is no key of the class.
    private func linkByKey(_ item: Item, _ classIndex: Int) throws(QueryError) -> Value? {
        guard item.value.scalarType != nil, let scalar = keyType(.link(classIndex: classIndex)),
            let key = try adapted(item, to: .scalar(scalar), isStrict: false),
            key.scalarType == scalar
        else { return nil }
        return .link(className: schema.classes[classIndex].definition.name, key: key)
    }

    /// Returns a whole number beyond 64 bits, which is a decimal for want of a wider int: beside doubles and floats
    /// it is the nearest of them.
    private func largeInteger(
        _ value: Decimal128, _ item: Item, _ scalar: ScalarType
    ) throws(QueryError) -> Value {
        switch scalar {
        case .double: return Double(value.description).map { .double($0) } ?? item.value
        case .float: return Float(value.description).map { .float($0) } ?? item.value
        case _ where scalar.integerRange != nil && item.argument == nil:
            throw source.fault(
                .limit,
                "The number \(source.text(item.range)) does not fit into a signed 64-bit integer.",
                at: item.start)
        default: return item.value
        }
    }

    /// Returns the kinds that a name beside `@type` stands for.
    private func kinds(_ value: Value, _ item: Item) throws(QueryError) -> Int64 {
        if value == .null { return KindSet.of(.null) }
        if case .string(let name) = value, let kinds = KindSet.named(name) { return kinds }
        let isText = value.scalarType == .string
        throw source.fault(
            item.argument == nil ? .type : .argument,
            "Unable to parse the type attribute string '\(Self.describe(value))', supported case "
                + "insensitive values are: [\(KindSet.allNames.joined(separator: ", "))]",
            at: item.start, argument: item.argument,
            hint: isText ? NearestName.of(Self.describe(value), among: KindSet.allNames) : nil)
    }

    /// Reads a number of a type in a text; nil when the text is another one.
    private static func number(_ text: String, _ scalar: ScalarType) -> Value? {
        switch scalar.widened {
        case .int: Int64(text).map { .int($0) }
        case .float: Float(text).map { .float($0) }
        case .decimal128: Decimal128(text).map { .decimal($0) }
        default: Double(text).map { .double($0) }
        }
    }

    private static func read<Result>(
        _ text: String, _ body: (UnsafeRawBufferPointer) -> Result?
    ) -> Result? {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Returns the type of a constant in Realm's messages.
    static func typeName(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .link: "link"
        case .list: "list"
        case .map: "map"
        default: value.scalarType.map { ValueType.scalar($0).name } ?? "null"
        }
    }

    /// Describes a constant for a message, cut when it is long.
    static func describe(_ value: Value) -> String {
        let text: String
        switch value {
        case .null: text = "null"
        case .bool(let value): text = value ? "true" : "false"
        case .int(let value): text = String(value)
        case .double(let value): text = String(value)
        case .float(let value): text = String(value)
        case .decimal(let value): text = value.description
        case .string(let value): text = value
        case .data(let value): text = "\(value.count) bytes"
        case .date(let value): text = value.description
        case .objectID(let value): text = value.description
        case .uuid(let value): text = value.description
        case .link(let className, let key): text = "\(className)(\(describe(key)))"
        case .list(let values): text = "a list of \(values.count)"
        case .map(let entries): text = "a map of \(entries.count)"
        }
        return text.unicodeScalars.count <= 60
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(57))) + "..."
    }
}
