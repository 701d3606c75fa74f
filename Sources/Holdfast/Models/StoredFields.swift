@_spi(Reflection) import Swift
import CHoldfastRuntime

/// The stored properties of a class that are persisted, those of base classes first.
final class StoredFields {
    struct Field {
        /// The name of the stored property: `_age` of `age`.
        let name: String
        /// The offset of its wrapper in an instance.
        let offset: Int
        let wrapper: FieldWrapper
        /// A type of wrapper that has the same layout, and is at hand.
        let layout: any PersistedField.Type
        let shape: PropertyShape
    }

    private var fields: [Field] = []
    private var key: [UInt8] = []

    private init() {}

    static func of(_ type: ObjectBase.Type) -> [Field] {
        let found = StoredFields()
        let isWhole = withExtendedLifetime(found) {
            holdfast_for_each_field(
                unsafeBitCast(type, to: UnsafeRawPointer.self),
                unsafeBitCast(ObjectBase.self, to: UnsafeRawPointer.self),
                { name, typeName, offset, context in
                    guard let context else { return }
                    let found = Unmanaged<StoredFields>.fromOpaque(context).takeUnretainedValue()
                    found.take(name, MangledName(typeName), offset)
                }, Unmanaged.passUnretained(found).toOpaque())
        }
        if !isWhole { found.search(type) }
        return found.fields
    }

    private func take(_ name: UnsafePointer<CChar>, _ type: MangledName, _ offset: Int) {
        guard let found = FieldTypes.property(of: type, &key) else { return }
        fields.append(
            Field(
                name: String(cString: name), offset: offset, wrapper: found.wrapper,
                layout: found.like, shape: found.shape))
    }

    /// Finds the properties of a generic class, whose types depend on its parameters: the runtime tells them.
    private func search(_ type: ObjectBase.Type) {
        // Of a class, and past fields whose types are not known at run time.
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 0b11)) {
            name, offset, fieldType, _ in
            guard let wrapper = fieldType as? any PersistedField.Type else { return true }
            fields.append(
                Field(
                    name: String(cString: name), offset: offset, wrapper: .known(wrapper),
                    layout: wrapper, shape: wrapper.shape))
            return true
        }
    }
}
