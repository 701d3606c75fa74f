/// Something in the body of a schema change that a fault may be about.
package enum SchemaSubject {
    /// The class of a name.
    case className(String)
    /// The renaming of a present name.
    case rename(String)
}
