import HoldfastRows

/// Why an edit was refused; the transaction has to be abandoned then.
package enum EditFailure: Error {
    /// There is nothing at the path, or at that of the source of a copy.
    case missing(ElementFault = .notThere, isSource: Bool = false)
    /// A tested value is another one.
    case isOther
    /// A copied value does not fit its new property.
    case doesNotFit
    /// A required property, or one that is not optional, would get null.
    case isNull
    /// The copied value would nest too deep.
    case isTooDeep
    /// A point would not lie on the Earth, and its index would not find it.
    case isNoPoint
    /// The key of the object would change.
    case isOtherKey(property: String?)
    /// The store refuses it.
    case store(StoreError)
}
