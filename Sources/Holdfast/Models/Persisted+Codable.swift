/// A property's wrapper that a decoder makes where the key is missing: of an optional property.
public protocol OptionalCodingWrapper {
    /// A property without a value.
    init()
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {}

extension KeyedDecodingContainer {
    /// Decodes an optional property, which is nil where the key is missing.
    public func decode<Wrapper: Decodable & OptionalCodingWrapper>(
        _ type: Wrapper.Type, forKey key: Key
    ) throws -> Wrapper {
        try decodeIfPresent(type, forKey: key) ?? Wrapper()
    }
}

extension Persisted: Decodable where Value: Decodable {
    /// Decodes the value of an unmanaged object's property.
    public init(from decoder: any Decoder) throws {
        self.init(
            FieldAttributes(), .held(try decoder.singleValueContainer().decode(Value.self)))
    }
}

extension Persisted: Encodable where Value: Encodable {
    /// Encodes the value of an unmanaged object's property.
    ///
    /// - Throws: `EncodingError` for a managed object, since a wrapper by itself does not lead to the object's realm.
    public func encode(to encoder: any Encoder) throws {
        guard position.member < 0 else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Only unmanaged objects can be encoded by synthesized code: write encode(to:) in the class, "
                        + "or encode an unmanaged copy, init(value:)."))
        }
        var copy = self
        var container = encoder.singleValueContainer()
        try container.encode(copy.value)
    }
}
