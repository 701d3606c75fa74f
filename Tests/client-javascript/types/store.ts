// The types of a Holdfast store, by `holdfast schema typescript`; revision 3 of its schema.

/** A whole number of 64 bits. Beyond 2^53 it is a string. */
export type Int2 = number | string;

/** A binary fraction. */
export type Double = number | "NaN" | "Infinity" | "-Infinity";

/** Any value. A kind that JSON lacks is an object such as `{"$date": …}`. */
export type Mixed = null | boolean | number | string | Mixed[] | {[key: string]: Mixed};

/** The object that an embedded one belongs to, with what `fields` names of it. */
export type Owner = {$link: {class: string; id: string | number | null}; [property: string]: unknown};

export interface Every_type2 {
  /** uuid; the primary key; random by default */
  id: string;
  bool: boolean;
  /** int */
  int: Int2;
  /** int8 */
  int8: number | null;
  /** int16 */
  int16: number;
  /** int32 */
  int32: number;
  /** int64 */
  int64: Int2 | null;
  /** float */
  float: Double;
  /** double */
  double: Double | null;
  /** decimal128 */
  decimal: string;
  /** required in new objects */
  string: string;
  text: string | null;
  /** data, in base64 */
  data: string | null;
  /** date, in RFC 3339; the time of the write by default */
  date: string;
  /** objectId; random by default */
  objectId: string;
  /** uuid; unique */
  uuid: string;
  /** the user's id by default */
  owner: string;
  mixed: Mixed;
  "with-hyphen": boolean;
  /** int16 */
  "größe in cm": number;
  class: string;
  list: string[];
  /** list of int */
  ints: (Int2 | null)[];
  /** set of dates */
  set: string[];
  /** set */
  names: string[];
  /** map of decimal128 */
  map: {[key: string]: string};
  flags: {[key: string]: boolean | null};
  anything: Mixed[];
  state: "open" | "in \"work\"" | "done";
  /** int8 */
  level: 1 | 2 | -3 | null;
  /** int */
  large: 9007199254740992 | "9007199254740993";
  states: ("a" | "b")[];
  place: Place | null;
  places: Place[];
  placesByName: {[key: string]: Place | null};
  /** link to Every type: a key, or the object with `expand` */
  next: string | Every_type2 | null;
  /** link to Person: a key, or the object with `expand` */
  person: Int2 | Person | null;
  /** list of links to Person: keys, or objects with `expand` */
  people: (Int2 | Person)[];
  /** set of links to Person: keys, or objects with `expand` */
  team: (Int2 | Person)[];
  /** map of links to Person: keys, or objects with `expand` */
  peopleByName: {[key: string]: Int2 | Person | null};
  /** link to Note: a key, or the object with `expand` */
  note: number | Note | null;
  /** link to void: a key, or the object with `expand` */
  void: string | void2 | {$link: {class: string; id: null}} | null;
}

/** Embedded: part of another object. */
export interface Place {
  street: string | null;
  /** link to Person: a key, or the object with `expand` */
  person: Int2 | Person | null;
  inside: Place | null;
  /** the objects of Every type whose `places` links here, if `fields` names it */
  readonly holders?: (string | Every_type2)[];
}

export interface Person {
  /** int; the primary key; the next number by default */
  number: Int2;
  /** the objects of Every type whose `people` links here, if `fields` names it */
  readonly liked?: (string | Every_type2)[];
  /** the objects of Place whose `person` links here, if `fields` names it */
  readonly lived?: (Place & {$owner?: Owner})[];
}

export interface Note {
  /** The service numbers the objects. */
  readonly $id: number;
  text: string;
}

export interface void2 {
  /** the primary key */
  key: string | null;
}

export interface Int {
  /** objectId; the primary key */
  id: string;
}

/** Asymmetric: created, never read. */
export interface Every_type {
  /** objectId; the primary key; random by default */
  id: string;
  body: Mixed;
}

/** The classes, for `new Holdfast<Classes>(url)`. */
export interface Classes {
  "Every type": Every_type2;
  Person: Person;
  Note: Note;
  void: void2;
  Int: Int;
  Every_type: Every_type;
}
