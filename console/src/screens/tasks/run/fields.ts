import type { FieldsOf } from '../../../ui/usePreviewedChange';
import type { Draft } from './draft';

/** What every part of the form is given. */
export type FieldsProps = FieldsOf<Draft>;
