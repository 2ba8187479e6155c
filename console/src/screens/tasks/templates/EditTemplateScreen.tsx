import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { Problem } from '../../../api/problem';
import { templates } from '../../../api/queries/tasks';
import { text } from '../../../texts';
import { ButtonLink } from '../../../ui/links';
import { Page } from '../../../ui/Page';
import { ProblemAlert } from '../../../ui/ProblemAlert';
import { draftOf } from './draft';
import { TemplateForm } from './TemplateForm';

const words = text.templates;

/** Another version, begun with one that there is. */
export function EditTemplateScreen() {
    const { template: name } = useParams({ from: '/app/tasks/templates/$template/edit' });
    const { room, version } = useSearch({ from: '/app/tasks/templates/$template/edit' });
    // What is typed is not overwritten by what is read again.
    const latest = useQuery({ ...templates.one(name, room), refetchOnWindowFocus: false });
    const begun = useQuery({
        ...templates.one(name, room, version),
        enabled: version !== undefined,
        refetchOnWindowFocus: false,
    });
    const begin = version === undefined ? latest.data : begun.data;
    const error = latest.error ?? begun.error;
    return (
        <Page
            title={words.form.change(name)}
            about={words.form.about}
            actions={
                <ButtonLink
                    to="/tasks/templates/$template"
                    params={{ template: name }}
                    search={{ room, version }}
                    variant="default"
                >
                    {text.common.back}
                </ButtonLink>
            }
        >
            <ProblemAlert problem={error && Problem.from(error)} />
            {latest.data && begin ? (
                <TemplateForm begin={draftOf(begin)} before={latest.data} />
            ) : (
                !error && <Skeleton height={400} />
            )}
        </Page>
    );
}
