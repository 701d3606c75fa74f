import HoldfastObjectModel

/// A property of a class in the catalog's record, with its number, and that of its search index if it has one.
struct StoredProperty {
    var definition = Property(name: "", type: .single(.scalar(.int)))
    var number: UInt32 = 0
    var searchNumber: UInt32 = 0
}

/// Properties and values in the catalog's record, see ``Catalog/append(to:)``.
extension RecordCoder {
    mutating func code(_ stored: inout StoredProperty) {
        var property = stored.definition
        code(&property.name)
        code(&stored.number)
        var flags: UInt8 =
            (property.isOptional ? 1 : 0) | (property.isIndexed ? 2 : 0)
            | (property.cases != nil ? 4 : 0) | (property.isUnique ? 8 : 0)
            | (property.mapTo != nil ? 16 : 0) | (property.onDelete != .nullify ? 32 : 0)
            | (property.searchIndex != nil ? 64 : 0) | (property.isRequired ? 128 : 0)
        code(&flags)
        property.isOptional = flags & 1 != 0
        property.isIndexed = flags & 2 != 0
        property.isUnique = flags & 8 != 0
        property.isRequired = flags & 128 != 0
        code(&property.type)
        code(&property.defaultValue)
        if flags & 4 != 0 {
            var cases = property.cases ?? []
            code(&cases, of: .null, countMax: ModelLimits.caseCountMax) { $0.code(&$1, depth: 0) }
            property.cases = cases
        }
        if flags & 16 != 0 {
            var mapTo = property.mapTo ?? ""
            code(&mapTo)
            property.mapTo = mapTo
        }
        if flags & 32 != 0 {
            var rule: UInt8 = property.onDelete == .deny ? 2 : 1
            code(&rule)
            if rule != 1 && rule != 2 { fail() }
            property.onDelete = rule == 2 ? .deny : .cascade
        }
        if flags & 64 != 0 {
            var kind = property.searchIndex ?? .fullText
            code(&kind)
            code(&stored.searchNumber)
            property.searchIndex = kind
        }
        stored.definition = property
    }

    private mutating func code(_ type: inout PropertyType) {
        var shape: UInt8 =
            switch type {
            case .single: 0
            case .list: 1
            case .set: 2
            case .linkingObjects: 3
            case .map: 4
            }
        code(&shape)
        if shape == 3 {
            var (className, property) = ("", "")
            if case .linkingObjects(let name, let origin) = type {
                (className, property) = (name, origin)
            }
            code(&className)
            code(&property)
            type = .linkingObjects(className: className, property: property)
            return
        }
        var element = type.element ?? .scalar(.int)
        code(&element)
        switch shape {
        case 0: type = .single(element)
        case 1: type = .list(element)
        case 2: type = .set(element)
        case 4: type = .map(element)
        default: fail()
        }
    }

    private mutating func code(_ element: inout ElementType) {
        var (scalar, name) = (ScalarType.int, "")
        var kind: UInt8 = 0
        switch element {
        case .scalar(let own): scalar = own
        case .object(let own): (kind, name) = (1, own)
        }
        code(&kind)
        switch kind {
        case 0:
            code(&scalar)
            element = .scalar(scalar)
        case 1:
            code(&name)
            element = .object(name)
        default: fail()
        }
    }

    private mutating func code(_ defaultValue: inout DefaultValue?) {
        let plain: [DefaultValue?] = [nil, nil, .uuid, .objectID, .now, .next, .user]
        var value = Value.null
        var form: UInt8 = 1
        if case .constant(let own)? = defaultValue {
            value = own
        } else {
            form = UInt8(plain.firstIndex(of: defaultValue) ?? 0)
        }
        code(&form)
        if form == 1 {
            code(&value, depth: 0)
            defaultValue = .constant(value)
        } else if Int(form) < plain.count {
            defaultValue = plain[Int(form)]
        } else {
            fail()
        }
    }

    // MARK: Values

    /// - `depth`: The number of lists and maps around the value.
    private mutating func code(_ value: inout Value, depth: Int) {
        var form: UInt8
        switch value {
        case .null: form = 0
        case .map: form = 253
        case .list(let values) where !values.isEmpty: form = 254
        default: form = value.scalarType?.rawValue ?? 255
        }
        code(&form)
        switch form {
        case 0: value = .null
        case 253, 254:
            if depth < ModelLimits.mixedDepthMax { return code(structure: &value, form, depth) }
            fail()
        case 255: value = .list([])
        default:
            guard let scalar = ScalarType(rawValue: form), scalar == scalar.widened,
                scalar != .mixed
            else { return fail() }
            code(scalar: &value, scalar)
        }
    }

    private mutating func code(structure value: inout Value, _ form: UInt8, _ depth: Int) {
        var values: [Value] = []
        var entries: [Value.MapEntry] = []
        if case .list(let own) = value { values = own }
        if case .map(let own) = value { entries = own }
        if form == 254 {
            code(&values, of: .null) { $0.code(&$1, depth: depth + 1) }
            value = .list(values)
        } else {
            code(&entries, of: Value.MapEntry("", .null)) {
                $0.code(&$1.key)
                $0.code(&$1.value, depth: depth + 1)
            }
            value = .map(entries)
        }
    }

    /// Writes or reads the bytes of a value of a type, which it is or becomes.
    private mutating func code(scalar value: inout Value, _ type: ScalarType) {
        if isReading { value = type.zero }
        switch value {
        case .bool(let own):
            var byte: UInt8 = own ? 1 : 0
            code(&byte)
            value = .bool(byte != 0)
        case .int(var number):
            code(&number)
            value = .int(number)
        case .double(let number):
            var bits = number.bitPattern
            code(&bits)
            value = .double(Double(bitPattern: bits))
        case .float(let number):
            var bits = number.bitPattern
            code(&bits)
            value = .float(Float(bitPattern: bits))
        case .decimal(var number):
            code(&number.high)
            code(&number.low)
            value = .decimal(number)
        case .string(var text):
            code(&text)
            value = .string(text)
        case .data(var bytes):
            code(&bytes)
            value = .data(bytes)
        case .date(var time):
            code(&time.seconds)
            code(&time.nanoseconds)
            value = .date(time)
        case .objectID(var id):
            code(&id.high)
            code(&id.low)
            value = .objectID(id)
        case .uuid(var id):
            code(&id.high)
            code(&id.low)
            value = .uuid(id)
        case .null, .link, .list, .map: fail()
        }
    }
}
