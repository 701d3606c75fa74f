extension Persisted: Decodable where Value: Decodable {
    /// Reads the value.
    public init(from decoder: any Decoder) throws {
        let value = try Value(from: decoder)
        self.init()
        held = value
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Writes the value of an unmanaged object.
    ///
    /// - Throws: `EncodingError` for a managed one, whose values are not in it.
    public func encode(to encoder: any Encoder) throws {
        guard position.member < 0 else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "The synthesised code can't encode a managed object: write `encode(to:)`, or encode an unmanaged copy."
                ))
        }
        try (held ?? initial?() ?? Value._unset()).encode(to: encoder)
    }
}

extension KeyedDecodingContainer {
    /// Reads an optional property: nil where there is no such key.
    public func decode<T: ExpressibleByNilLiteral & Decodable & _Persistable>(
        _ type: Persisted<T>.Type, forKey key: Key
    ) throws -> Persisted<T> {
        try decodeIfPresent(type, forKey: key) ?? Persisted(wrappedValue: nil)
    }

    /// Inverse links are not read.
    public func decode<T: ObjectBase>(
        _ type: Persisted<LinkingObjects<T>>.Type, forKey key: Key
    ) throws -> Persisted<LinkingObjects<T>> {
        Persisted()
    }
}

extension KeyedEncodingContainer {
    /// Inverse links are not written.
    public mutating func encode<T: ObjectBase>(
        _ value: Persisted<LinkingObjects<T>>, forKey key: Key
    ) throws {}
}

extension LinkingObjects: Codable {
    /// One without objects: inverse links are not read.
    public convenience init(from decoder: any Decoder) throws { self.init() }
    /// Writes nothing: inverse links are not written.
    public func encode(to encoder: any Encoder) throws {}
}

extension List: Decodable where Element: Decodable {
    /// Reads the elements.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { append(try container.decode(Element.self)) }
    }
}

extension List: Encodable where Element: Encodable {
    /// Writes the elements.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension MutableSet: Decodable where Element: Decodable {
    /// Reads the elements.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { insert(try container.decode(Element.self)) }
    }
}

extension MutableSet: Encodable where Element: Encodable {
    /// Writes the elements.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension Map: Decodable where Value: Decodable {
    /// Reads the entries.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        for (key, value) in try decoder.singleValueContainer().decode([String: Value].self) {
            self[Key(_key: key)] = value
        }
    }
}

extension Map: Encodable where Value: Encodable {
    /// Writes the entries.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        var entries: [String: Value] = [:]
        for entry in self { entries[entry.key._key] = entry.value }
        try container.encode(entries)
    }
}
