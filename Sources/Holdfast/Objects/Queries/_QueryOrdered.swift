/// A type with an order of its values: they are compared with `<` in queries, and have a least and a greatest value.
public protocol _QueryOrdered: _Persistable {}

/// A type with values that have a sum and a mean.
public protocol _QueryAdded: _QueryOrdered {}

extension Int: _QueryAdded {}
extension Int8: _QueryAdded {}
extension Int16: _QueryAdded {}
extension Int32: _QueryAdded {}
extension Int64: _QueryAdded {}
extension Float: _QueryAdded {}
extension Double: _QueryAdded {}
extension Decimal128: _QueryAdded {}
extension AnyRealmValue: _QueryAdded {}
extension Date: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _OptionalPersistable & _QueryOrdered {}
extension Optional: _QueryAdded where Wrapped: _OptionalPersistable & _QueryAdded {}

/// A collection as queries see it: `List`, `MutableSet` and `LinkingObjects`, and the values of a `Map`.
public protocol _QueryCollection: _Persistable, _Queried {}

extension List: _QueryCollection {}
extension MutableSet: _QueryCollection {}
extension LinkingObjects: _QueryCollection {}
extension Map: _QueryCollection {}
