extension ObjectClass {
    /// Whether a property holds a point that an index can find.
    func holdsIndexablePoint(_ property: Property, _ classes: [String: ObjectClass]) -> Bool {
        guard kind == .object, case .single(.object(let target)) = property.type else {
            return false
        }
        return classes[target]?.pointMembers != nil
    }
}
